use intervals::{merge, parse, Interval};

fn read(text: &str) -> Vec<Interval> {
    text.lines().map(|line| parse(line).expect(line)).collect()
}

#[test]
fn joins_what_overlaps_or_touches() {
    let pages = read(include_str!("data/pages.txt"));
    assert_eq!(merge(&pages), read("1-4\n10-20"));
}

#[test]
fn keeps_what_is_apart() {
    let apart = read("1-2\n4-5");
    assert_eq!(merge(&apart), apart);
}

#[test]
fn both_ends_are_included() {
    let five = Interval::new(1, 5).unwrap();
    assert_eq!(five.len(), 5);
    assert!(five.contains(5) && !five.contains(6));
}
