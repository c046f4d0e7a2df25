//! What holds for every request and every answer.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};

use tokio::time::timeout;

use super::{LARGEST_BODY, Shared, pages, request::LONGEST_LINK};

/// How long what is posted may take.
const BODY: Duration = Duration::from_secs(10);

/// Nothing is loaded from anywhere; styles and the script stand in the page; nobody frames it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&shared, &request) {
        Some((status, why)) => (status, pages::problem(why)).into_response(),
        None => match whole(request).await {
            Ok(request) => next.run(request).await,
            Err((status, why)) => (status, pages::problem(why)).into_response(),
        },
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The request with all that is posted, if that comes soon: slow ones would take every place.
async fn whole(request: Request) -> Result<Request, (StatusCode, &'static str)> {
    let (parts, body) = request.into_parts();
    match timeout(BODY, to_bytes(body, LARGEST_BODY)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err((StatusCode::PAYLOAD_TOO_LARGE, "What is posted is too large.")),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "What is posted came too slowly.")),
    }
}

fn refusal(shared: &Shared, request: &Request) -> Option<(StatusCode, &'static str)> {
    if shared.local && !is_here(request) {
        return Some((
            StatusCode::MISDIRECTED_REQUEST,
            "This server is for this machine: its name is localhost or 127.0.0.1.",
        ));
    }
    if request.uri().path_and_query().is_some_and(|asked| asked.as_str().len() > LONGEST_LINK) {
        return Some((StatusCode::URI_TOO_LONG, "The address is too long: post it instead."));
    }
    let from = request.headers().get("sec-fetch-site");
    if request.method() == Method::POST && from.is_some_and(|from| from == "cross-site") {
        return Some((StatusCode::FORBIDDEN, "Another site may not post here."));
    }
    None
}

/// Whether it was asked for by a name of this machine. A page elsewhere may let its own name lead
/// here, and then read what is answered: its name is what gives it away.
fn is_here(request: &Request) -> bool {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host.or(request.uri().authority().map(Authority::as_str)) else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
