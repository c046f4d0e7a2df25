//! Who is let in by a NATS server: passwords, tokens, keys and certificates.
//!
//! Needs `nats-server` and `openssl`: behind the feature `test-nats`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]
#![expect(clippy::disallowed_methods, reason = "servers live in real time")]

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A folder of its own, with a server in it; both gone at the end.
struct Server {
    folder: PathBuf,
    port: u16,
    process: Option<Child>,
}

impl Server {
    fn new(name: &str) -> Self {
        let folder = format!("guid-nats-secrets-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { folder, port: free.local_addr().unwrap().port(), process: None }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn start(&mut self, extra: &[&str]) {
        let (port, store) = (self.port.to_string(), self.file("store"));
        let arguments = ["-js", "-a", "127.0.0.1", "-p", &port, "-sd", &store];
        let mut command = Command::new("nats-server");
        command.args(arguments).args(extra).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn().expect("nats-server is installed"));
        let listens = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(50));
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
        assert!(listens, "nats-server does not listen");
    }

    /// A worker that finds nothing to do: how it ends, and what it says.
    fn worker(&self, before: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let url = format!("{before}127.0.0.1:{}", self.port);
        let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
        command.args(["sim", "worker", "--idle", "1s", "--nats", &url]).args(arguments);
        let begun = Instant::now();
        let ran = command.env_remove("GUID_NATS").output().unwrap();
        // What is final is not tried again for ten minutes.
        assert!(begun.elapsed() < Duration::from_secs(60));
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    }

    fn is_let_in(&self, before: &str, arguments: &[&str]) {
        let (code, said) = self.worker(before, arguments);
        assert_eq!(code, Some(0), "{before} {arguments:?}: {said}");
    }

    /// It ends at once, with a reason, without repeating what was secret.
    fn is_refused(&self, before: &str, arguments: &[&str], reason: &str) {
        let (code, said) = self.worker(before, arguments);
        assert_eq!(code, Some(74), "{before} {arguments:?}: {said}");
        assert!(said.contains(reason) && !said.contains("wrong-word"), "{said}");
        assert!(!said.contains("waiting for the server"), "{said}");
    }

    fn openssl(&self, arguments: &str) {
        let mut command = Command::new("openssl");
        let ran = command.args(arguments.split(' ')).current_dir(&self.folder).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Makes one that signs, or a key with a certificate that one has signed.
    fn authority(&self, name: &str) {
        self.openssl(&format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={name} \
             -keyout {name}.key -out {name}.pem -addext basicConstraints=critical,CA:TRUE \
             -addext keyUsage=critical,keyCertSign"
        ));
    }

    fn certificate(&self, name: &str, of: &str) {
        let usage = "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n";
        fs::write(self.file("usage"), usage).unwrap();
        self.openssl(&format!(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} \
             -keyout {name}.key -out {name}.csr"
        ));
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA {of}.pem -CAkey {of}.key -CAcreateserial -days 2 \
             -extfile usage -out {name}.pem"
        ));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().ok();
            process.wait().unwrap();
        }
        fs::remove_dir_all(&self.folder).ok();
    }
}

#[test]
fn a_password_is_asked_for_and_not_told() {
    let mut server = Server::new("password");
    server.start(&["--user", "sweeper", "--pass", "s@cret"]);
    server.is_let_in("nats://sweeper:s%40cret@", &[]);
    for before in ["nats://", "nats://sweeper:wrong-word@"] {
        server.is_refused(before, &[], "authorization violation");
    }
}

#[test]
fn a_token_is_a_user_without_a_password() {
    let mut server = Server::new("token");
    server.start(&["--auth", "to/ken"]);
    server.is_let_in("nats://to%2Fken@", &[]);
    for before in ["nats://", "nats://wrong-word@", "nats://to%2Fken:wrong-word@"] {
        server.is_refused(before, &[], "authorization violation");
    }
}

/// A pair of keys that was made for this test.
#[test]
fn a_key_is_a_file() {
    const SEED: &str = "SUAGPVBRRJVGCUSB2SONQUSIBCE2EITHFPWJMVLCIRMOBHP3TA4BI5ZYSQ";
    const USER: &str = "UA3NUAGFOFNK6S55UXRK47XFX2GBXW6IGWQI7ZSFIFM6Y7NKKMLCXB6D";
    let mut server = Server::new("nkey");
    let (config, key, other) = (server.file("config"), server.file("key"), server.file("other"));
    fs::write(&config, format!("authorization {{ users: [{{ nkey: {USER} }}] }}\n")).unwrap();
    fs::write(&key, format!("{SEED}\n{USER}\n")).unwrap();
    fs::write(&other, "SUANQDPB2RUOE4ETUA26CNX7FUKE5ZZKFCQIIW63OX225F2CO7UEXTM7ZY\n").unwrap();
    server.start(&["-c", &config]);
    server.is_let_in("nats://", &["--nkey", &key]);
    server.is_refused("nats://", &["--nkey", &other], "authorization violation");
    server.is_refused("nats://", &[], "authorization violation");
    let (code, said) = server.worker("nats://", &["--nkey", &config]);
    assert!(code == Some(65) && said.contains("expected the seed of a user"), "{said}");
    assert_eq!(server.worker("nats://", &["--nkey", "/nowhere"]).0, Some(74));
}

#[test]
fn certificates_are_asked_for_on_both_sides() {
    let mut server = Server::new("tls");
    for name in ["authority", "stranger"] {
        server.authority(name);
    }
    for (name, of) in [("server", "authority"), ("worker", "authority"), ("foreign", "stranger")] {
        server.certificate(name, of);
    }
    let file = |name: &str| server.file(name);
    let (ca, cert, key) = (file("authority.pem"), file("server.pem"), file("server.key"));
    let (stranger, foreign) = (file("stranger.pem"), [file("foreign.pem"), file("foreign.key")]);
    let own = [file("worker.pem"), file("worker.key")];
    let tls = ["--tls", "--tlsverify", "--tlscacert", &ca, "--tlscert", &cert, "--tlskey", &key];
    server.start(&tls);
    let with = |ca: &str, [cert, key]: &[String; 2]| {
        ["--tls-ca", ca, "--tls-cert", cert, "--tls-key", key].map(str::to_owned)
    };
    let given = |arguments: &[String; 6]| arguments.clone();
    let right = given(&with(&ca, &own));
    let right: Vec<&str> = right.iter().map(String::as_str).collect();
    server.is_let_in("tls://", &right);
    // The server says by itself that it wants to be spoken to in private.
    server.is_let_in("nats://", &right);
    for (ca, pair, reason) in [(&stranger, &own, "certificate"), (&ca, &foreign, "")] {
        let wrong = with(ca, pair);
        server.is_refused("tls://", &wrong.each_ref().map(String::as_str), reason);
    }
    server.is_refused("tls://", &["--tls-ca", &ca], "ertificate");
    server.is_refused("tls://", &["--tls-ca", "/nowhere"], "No such file");
}
