//! The page: pick a scenario, turn its knobs, run it, look; and the same as JSON for programs.
//!
//! # Invariants
//!
//! * Whatever is asked, the answer is bounded: the request, the events of a run, its time, its
//!   memory, how many go on at once and how many wait.
//! * What was asked with stands in no answer unescaped, and no answer loads anything from
//!   elsewhere.

mod request;
mod work;
mod pages;
mod guard;
mod listener;
mod knobs;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use axum::{
    Form, Router,
    extract::{
        DefaultBodyLimit, Query, State,
        rejection::{FormRejection, QueryRejection},
    },
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use tokio::{net::TcpListener, signal, time::timeout};

use self::{
    listener::Bounded,
    request::{Asked, Pairs, Wrong},
    work::{Failed, Work},
};
use crate::cli::Serve;

/// The largest body: a scenario with room to spare.
const LARGEST_BODY: usize = 64 << 10;
/// How long those who are served get to finish once it ends.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct Shared {
    work: Work,
    /// Whether only this machine can reach it.
    local: bool,
}

type Here = State<Arc<Shared>>;
type Asking = Result<Query<Pairs>, QueryRejection>;
type Posting = Result<Form<Pairs>, FormRejection>;

/// Serves until it is told to stop; `started` is told where.
pub(crate) fn until_stopped(
    asked: &Serve,
    started: impl FnOnce(SocketAddr) -> io::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let at = SocketAddr::new(asked.host, asked.port);
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(at).await.with_context(|| at.to_string())?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { work: Work::new(asked), local: asked.host.is_loopback() });
        started(address)?;
        let router = router(Arc::clone(&shared));
        let stopping = Arc::clone(&shared);
        let (told, stop) = tokio::sync::oneshot::channel();
        let server =
            axum::serve(Bounded::new(listener), router).with_graceful_shutdown(async move {
                stopped().await;
                stopping.work.stop();
                told.send(()).ok();
            });
        let mut server = std::pin::pin!(server.into_future());
        tokio::select! {
            served = &mut server => served?,
            _ = stop => drop(timeout(GRACE, server).await),
        }
        Ok(())
    });
    runtime.shutdown_timeout(GRACE);
    served
}

/// Until ctrl-c, or the signal that services are ended with.
async fn stopped() {
    #[cfg(unix)]
    {
        let Ok(mut ended) = signal::unix::signal(signal::unix::SignalKind::terminate()) else {
            return drop(signal::ctrl_c().await);
        };
        tokio::select! { _ = signal::ctrl_c() => {}, _ = ended.recv() => {} }
    }
    #[cfg(not(unix))]
    drop(signal::ctrl_c().await);
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/scenario", get(knobs))
        .route("/run", get(run).post(run_posted))
        .route("/api/run", get(run_json).post(run_posted_json))
        .route("/api/scenarios", get(scenarios_json))
        .fallback(nowhere)
        // The guard has read what is posted, up to a limit.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::guard))
        .with_state(shared)
}

async fn home() -> Response {
    pages::home().into_response()
}

async fn nowhere() -> Response {
    (StatusCode::NOT_FOUND, pages::problem("There is no such page.")).into_response()
}

async fn knobs(asking: Asking) -> Response {
    match read(asking) {
        Ok(asked) => match asked.scenario() {
            Ok(_) => pages::knobs(&asked, None).into_response(),
            Err(error) => refused(&asked, &error),
        },
        Err(wrong) => problem(&wrong),
    }
}

async fn run(State(shared): Here, asking: Asking) -> Response {
    match read(asking) {
        // A form sends fields that nobody filled; the link that is shared has none of them.
        Ok(asked) if asked.padded => Redirect::to(&asked.link("/run")).into_response(),
        Ok(asked) => page(&shared, asked).await,
        Err(wrong) => problem(&wrong),
    }
}

async fn run_posted(State(shared): Here, posting: Posting) -> Response {
    match read_posted(posting) {
        Ok(asked) => page(&shared, asked).await,
        Err(wrong) => problem(&wrong),
    }
}

async fn run_json(State(shared): Here, asking: Asking) -> Response {
    json(&shared, read(asking)).await
}

async fn run_posted_json(State(shared): Here, posting: Posting) -> Response {
    json(&shared, read_posted(posting)).await
}

async fn scenarios_json() -> Response {
    as_json(StatusCode::OK, &pages::scenarios())
}

fn read(asking: Asking) -> Result<Asked, Wrong> {
    let Query(pairs) = asking.map_err(|error| Wrong::new(&error.body_text()))?;
    Asked::read(pairs)
}

fn read_posted(posting: Posting) -> Result<Asked, Wrong> {
    let Form(pairs) =
        posting.map_err(|error| Wrong { status: error.status(), why: error.body_text() })?;
    Asked::read(pairs)
}

/// The report of a run as a page.
async fn page(shared: &Shared, asked: Asked) -> Response {
    let scenario = match asked.scenario() {
        Ok(scenario) => scenario,
        Err(error) => return refused(&asked, &error),
    };
    let drawn = {
        let asked = asked.clone();
        shared.work.run(scenario, move |scenario| pages::report(&asked, scenario)).await
    };
    match drawn {
        Ok(page) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response(),
        Err(Failed::Run(why)) => refused(&asked, &why),
        Err(failed) => {
            (failed.status(), failed.headers(), pages::problem(&failed.to_string())).into_response()
        }
    }
}

async fn json(shared: &Shared, asked: Result<Asked, Wrong>) -> Response {
    let error = |status, why: &str| as_json(status, &serde_json::json!({ "error": why }));
    let asked = match asked {
        Ok(asked) => asked,
        Err(wrong) => return error(wrong.status, &wrong.why),
    };
    let scenario = match asked.scenario() {
        Ok(scenario) => scenario,
        Err(wrong) => return error(StatusCode::UNPROCESSABLE_ENTITY, &wrong),
    };
    let seed = asked.seed.unwrap_or(scenario.seed());
    let explained = move |scenario: &guid_sim::Scenario| {
        let mut report = scenario.run(seed)?;
        scenario.explain(&mut report)?;
        Ok(report)
    };
    let told = shared.work.run(scenario, explained).await;
    match told {
        Ok(report) => as_json(StatusCode::OK, &report),
        Err(failed) => {
            let status = failed.status();
            (failed.headers(), error(status, &failed.to_string())).into_response()
        }
    }
}

/// An object on a line, as `guid sim run --json` writes it.
fn as_json(status: StatusCode, value: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(value).unwrap_or_default() + "\n";
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// The form again, with what is wrong beside it.
fn refused(asked: &Asked, why: &str) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, pages::knobs(asked, Some(why))).into_response()
}

fn problem(wrong: &Wrong) -> Response {
    (wrong.status, pages::problem(&wrong.why)).into_response()
}
