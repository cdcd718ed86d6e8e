//! Tests of the texts, here because the schema is derived in tests only.

use crate::*;
use std::path::PathBuf;

/// A report with a value of each kind, and texts that could break a page.
fn report() -> Report {
    let place = Some(Place { file: 0, line: 2, column: 7 });
    let area = Area { lut: 10, ff: 20, dsp: 0, bram: 1 };
    let step = Step { operation: 0, delay_ns: 3.25 };
    let suggestion = Suggestion {
        edit: Edit::Clock,
        text: "slower".into(),
        option: Some("--clock 100".into()),
        names: vec!["a".into()],
        factor: Some(100.0),
        condition: None,
        interval: 1.0,
        iterations: 1,
        tried: true,
    };
    let kernel = Kernel {
        name: "k".into(),
        board: "unit".into(),
        device: "one".into(),
        clock_mhz: 250.0,
        period_ns: 4.0,
        logic_ns: 3.0,
        simd: 1,
        compute_units: 1,
        compute_units_limit: UnitsLimit::Memory,
        compute_units_reason: "limited by memory bandwidth".into(),
        max_work_group_size: 64,
        work_items_in_flight: 512,
        single_work_item: false,
        memory_latency: 100,
        peak_bytes_per_second: 2e9,
        estimated_area: area,
        datapath_area: area,
        available_area: area,
        arguments: vec![Argument {
            name: "a".into(),
            type_name: "int*".into(),
            kind: "buffer".into(),
            register: Some(16),
            port: None,
        }],
        memory_ports: vec![Port { name: "m_axi_gmem0".into(), data_bits: 64, interval: 0.5 }],
        notes: vec!["</script><!-- {{data}} {{style}}".into()],
        lines: vec![],
        other_area: area,
        blocks: vec![Block {
            name: "b0".into(),
            in_loop: Some(0),
            place,
            segments: vec![Segment { start: 0, latency: 3, ii: 1, depth: 16, token_bits: 32 }],
        }],
        operations: vec![Operation {
            id: 0,
            name: "add".into(),
            bits: 32,
            when: When::Segment,
            block: 0,
            segment: 0,
            cycle: 1,
            latency: 0,
            start_ns: 4.0,
            end_ns: 7.25,
            chained_with: vec![],
            operands: vec![],
            place,
            access: None,
        }],
        nodes: vec![],
        edges: vec![],
        loops: vec![Loop {
            name: "loop at b0".into(),
            place,
            parent: None,
            kind: "pipelined".into(),
            ii: 2,
            memory_interval: 0.5,
            latency: 12,
            most_inside: 2,
            reason: "a recurrence".into(),
            constraint: Constraint {
                limit: Limit::Recurrence,
                cycles: 2.0,
                path: vec![step],
                memory: None,
            },
            suggestions: vec![suggestion],
        }],
        divisions: vec![],
        memories: vec![],
        accesses: vec![],
        measured: Some(Measured { cycles: 9, ..Measured::default() }),
    };
    let source = Source { name: "k<1>.cl".into(), text: Some("\n  a += \"</SCRIPT>\";\n".into()) };
    Report {
        version: REPORT_VERSION,
        tool: "clhls 0".into(),
        module: "m<b>{{data}}".into(),
        sources: vec![source],
        kernels: vec![kernel],
    }
}

#[test]
fn json_reads_back() {
    let text = report().to_json();
    assert_eq!(Report::parse(&text), Ok(report()));
    // An operation is a line.
    let line = text.lines().find(|l| l.trim_start().starts_with("{\"id\":0,\"name\":\"add\""));
    assert!(line.is_some_and(|l| l.contains("\"end_ns\":7.25")), "{text}");
    let newer = text.replace("\"version\": 1", "\"version\": 2");
    assert!(Report::parse(&newer).is_err_and(|e| e.contains("version 2")));
    assert!(Report::parse(&text.replace("\"ii\"", "\"iii\"")).is_err());
}

#[test]
fn a_page_holds_its_data_whatever_it_says() {
    let page = report().to_html();
    assert_eq!(page.matches("<script").count(), 2, "nothing in the data begins a script");
    assert_eq!(page.matches("</script>").count(), 2, "and nothing ends one");
    let open = "<script id=\"data\" type=\"application/json\">";
    let (_, rest) = page.split_once(open).expect("the data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    assert_eq!(Report::parse(data), Ok(report()));
    assert!(page.contains("<title>m&lt;b&gt;{{data}}: report</title>"));
    for place in ["{{style}}\n", "{{script}}"] {
        assert!(!page.contains(place), "{place}");
    }
    for elsewhere in ["src=", "<link", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}: the page stands alone");
    }
}

/// docs/report.schema.json is what the types say; `CLHLS_BLESS=1` writes it.
#[test]
fn the_schema_is_documented() {
    let schema = schemars::schema_for!(Report).to_value();
    let text = format!("{schema:#}\n");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
    if std::env::var_os("CLHLS_BLESS").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let documented = std::fs::read_to_string(&path).expect("docs/report.schema.json");
    assert_eq!(documented, text, "`make bless` brings it up to date");
    // Every field says what it is.
    let missing = undescribed(&schema, "");
    assert_eq!(missing, Vec::<String>::new());
}

/// Paths of properties without a description.
fn undescribed(value: &serde_json::Value, path: &str) -> Vec<String> {
    let mut found = vec![];
    if let Some(properties) = value["properties"].as_object() {
        let bare = properties.iter().filter(|(_, p)| p["description"].as_str().is_none());
        found.extend(bare.map(|(name, _)| format!("{path}/{name}")));
    }
    for (name, part) in value["$defs"].as_object().into_iter().flatten() {
        found.extend(undescribed(part, name));
    }
    found
}
