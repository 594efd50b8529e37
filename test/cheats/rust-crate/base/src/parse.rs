use crate::Interval;

/// Reads `3-5` or `7`.
pub fn parse(text: &str) -> Option<Interval> {
    match split(text) {
        (start, Some(end)) => Interval::new(start.parse().ok()?, end.parse().ok()?),
        (only, None) => {
            let number = only.parse().ok()?;
            Interval::new(number, number)
        }
    }
}

fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once('-') {
        Some((start, end)) => (start.trim(), Some(end.trim())),
        None => (text.trim(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_dash() {
        assert_eq!(split("3 - 5"), ("3", Some("5")));
        assert_eq!(split(" 7 "), ("7", None));
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        assert_eq!(parse("a-b"), None);
        assert_eq!(parse(""), None);
    }
}
