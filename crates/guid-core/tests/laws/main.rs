//! Laws: properties of the public promise, against a second implementation.
//!
//! [`spec`] says what an ID is in plain arithmetic (multiply, divide, take the remainder), with
//! none of the shifts of the library, and what a generator does in the words of its documentation.

mod spec;
mod fractions;
mod text;
mod order;
mod generator;
mod batch;
mod renewal;
mod ranges;
mod snowflake;
