//! Every type that has a meaning, once: the test and the long run take the list from here.

/// Calls a macro with `name: the meaning of the type, ...`.
macro_rules! every_type {
    ($with:ident) => {
        $with!(
            or_set: OrSetSpec,
            rw_set: RwSetSpec,
            lww_set: LwwSetSpec,
            g_set: GSetSpec,
            two_phase_set: TwoPhaseSpec,
            lww_register: LwwSpec,
            mv_register: MvSpec,
            fww_register: FwwSpec,
            max: MaxSpec,
            min: MinSpec,
            g_counter: GCounterSpec,
            pn_counter: PnCounterSpec,
            resettable_counter: ResettableSpec,
            bounded_counter: BoundedSpec,
            ew_flag: EwFlagSpec,
            dw_flag: DwFlagSpec,
            lww_map: LwwMapSpec,
            aw_lww_map: AwLwwMapSpec,
            or_map_of_sets: OrMapSpec<OrSetSpec>,
            or_map_of_rw_sets: OrMapSpec<RwSetSpec>,
            or_map_of_registers: OrMapSpec<MvSpec>,
            or_map_of_counters: OrMapSpec<ResettableSpec>,
            or_map_of_ew_flags: OrMapSpec<EwFlagSpec>,
            or_map_of_dw_flags: OrMapSpec<DwFlagSpec>,
            or_map_of_maps: OrMapSpec<OrMapSpec<OrSetSpec>>,
            or_map_of_lww_maps: OrMapSpec<AwLwwMapSpec>,
            doc: DocSpec,
        );
    };
}

pub(crate) use every_type;
