//! A browser without a window, told what to do over a pipe.
//!
//! The browser reads commands from its third file and writes answers to its fourth; a shell makes
//! them of the two pipes that a child has. Messages are JSON, with a zero byte after each.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

/// What a page is shown on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Paper {
    Light,
    Dark,
    Print,
}

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    session: Value,
    sent: u64,
    /// What the page logged or threw, and what it asked the network for.
    pub(crate) complaints: Vec<Value>,
    pub(crate) requests: Vec<String>,
}

impl Browser {
    /// Starts one that keeps its files in a folder of this name.
    pub(crate) fn start(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
        fs::create_dir_all(&folder).unwrap();
        let command = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                       --disable-background-networking --disable-extensions --no-first-run \
                       --remote-debugging-pipe --user-data-dir=\"$0\" about:blank \
                       3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", command])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, answers) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            commands,
            answers: BufReader::new(answers),
            session: Value::Null,
            sent: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
        };
        let targets = browser.call("Target.getTargets", &json!({}));
        let pages = targets["targetInfos"].as_array().unwrap();
        let page = pages.iter().find(|target| target["type"] == "page").unwrap();
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", &attach)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Sends a command; its result.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        let commands = self.commands.as_mut().unwrap();
        commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        commands.flush().unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.answers.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser ended; is `chromium` installed?");
        serde_json::from_slice(&bytes).unwrap()
    }

    fn note(&mut self, event: &Value) {
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                self.complaints.push(event["params"].clone());
            }
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(url.to_owned());
            }
            _ => {}
        }
    }

    /// What an expression comes to in the page.
    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Opens an address, on paper of a kind and so wide.
    pub(crate) fn open(&mut self, address: &str, paper: Paper, width: u32) {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let (media, scheme) = match paper {
            Paper::Light => ("screen", "light"),
            Paper::Dark => ("screen", "dark"),
            Paper::Print => ("print", "dark"),
        };
        let scheme = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "media": media, "features": scheme }));
        // Another fragment of the same page would load nothing.
        self.call("Page.navigate", &json!({ "url": "about:blank" }));
        self.wait("location.href == 'about:blank' && document.readyState == 'complete'");
        self.complaints.clear();
        self.requests.clear();
        self.call("Page.navigate", &json!({ "url": address }));
        self.wait("location.href != 'about:blank' && document.readyState == 'complete'");
    }

    /// Prints the page on A4 paper; how many pages it takes.
    pub(crate) fn pages(&mut self) -> usize {
        let paper = json!({ "paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": true });
        let printed = self.call("Page.printToPDF", &paper);
        let pdf = decoded(printed["data"].as_str().unwrap());
        let of_page = |window: &&[u8]| *window == b"/Type /Page\n";
        pdf.windows(b"/Type /Page\n".len()).filter(of_page).count()
    }

    /// Waits until an expression is true.
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "a browser takes its time")]
    pub(crate) fn wait(&mut self, expression: &str) {
        for _ in 0..600 {
            if self.ask(expression) == true {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        panic!("never came: {expression}");
    }

    /// Presses keys: their names, as in `ArrowDown`.
    pub(crate) fn press(&mut self, keys: &[&str]) {
        for key in keys {
            let code = match *key {
                "Tab" => 9,
                "Enter" => 13,
                "ArrowLeft" => 37,
                "ArrowUp" => 38,
                "ArrowRight" => 39,
                "ArrowDown" => 40,
                _ => 0,
            };
            let text = if *key == "Enter" { "\r" } else { "" };
            for kind in ["keyDown", "keyUp"] {
                let text = if kind == "keyDown" { text } else { "" };
                let event = json!({ "type": kind, "key": key, "code": key, "text": text,
                                    "windowsVirtualKeyCode": code });
                self.call("Input.dispatchKeyEvent", &event);
            }
        }
    }
}

/// Bytes from base 64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte: u8| DIGITS.iter().position(|&digit| digit == byte).unwrap_or(0);
    let four = |four: &[u8]| {
        let bits = four.iter().fold(0_usize, |bits, &byte| bits << 6 | digit(byte));
        [bits >> 16, bits >> 8, bits].map(|byte| u8::try_from(byte & 0xff).unwrap())
    };
    text.as_bytes().chunks(4).flat_map(four).collect()
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its pipe is closed: it ends. The rest is for one that does not.
        drop(self.commands.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
