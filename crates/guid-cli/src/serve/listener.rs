//! Connections: so many at once, none that is silent for long, none that goes on for ever.
//!
//! A connection that has not said what it wants within some seconds is ended, however often it says
//! a letter more: else a few hundred of them would take every place.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep_until},
};

const CONNECTIONS: usize = 256;
/// How long the head of a request may take, and the pause before the next one.
const HEAD: Duration = Duration::from_secs(5);
/// Longer than a run may wait and take by default.
const SILENT: Duration = Duration::from_secs(60);
const ALL: Duration = Duration::from_secs(900);

pub(super) struct Bounded {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Bounded {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(CONNECTIONS)) }
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // Nobody closes the places.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (Connection::new(stream, place), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when nothing is read for long.
pub(super) struct Connection {
    stream: TcpStream,
    alarm: Pin<Box<Sleep>>,
    end: Instant,
    /// How much of the end of a head was read: an empty line.
    head: Head,
    _place: Option<OwnedSemaphorePermit>,
}

/// How much of the end of a head was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// So many of the four letters that end it.
    Within(usize),
    Whole,
}

impl Head {
    fn read(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |head, &byte| match head {
            Self::Whole => Self::Whole,
            Self::Within(3) if byte == b'\n' => Self::Whole,
            Self::Within(found) if b"\r\n\r\n".get(found) == Some(&byte) => Self::Within(found + 1),
            Self::Within(_) => Self::Within(usize::from(byte == b'\r')),
        })
    }
}

impl Connection {
    fn new(stream: TcpStream, place: Option<OwnedSemaphorePermit>) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(sleep_until(now + HEAD));
        Self { stream, alarm, end: now + ALL, head: Head::Within(0), _place: place }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            self.head = self.head.read(buf.filled().get(before..).unwrap_or_default());
            if self.head == Head::Whole {
                let next = (Instant::now() + SILENT).min(self.end);
                self.alarm.as_mut().reset(next);
            }
            return read;
        }
        match self.alarm.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        // An answer: the next request has a head of its own.
        self.head = Head::Within(0);
        let next = (Instant::now() + HEAD).min(self.end);
        self.alarm.as_mut().reset(next);
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
