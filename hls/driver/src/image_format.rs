//! Formats that images have for certain: `--image-format`.

use abi::ImageFormat;
use spirv_to_ir::FixedFormat;

/// What it looks like, for messages.
const FORM: &str = "expected KERNEL.ARG=ORDER:TYPE, such as blur.from=rgba:unorm8";

/// Parses `KERNEL.ARG=ORDER:TYPE`.
///
/// # Errors
/// A sentence that says what is expected.
pub fn parse(text: &str) -> Result<FixedFormat, String> {
    let (end, format) = text.split_once('=').ok_or(FORM)?;
    let (kernel, arg) = end.split_once('.').ok_or(FORM)?;
    let (order, data_type) = format.split_once(':').ok_or(FORM)?;
    if kernel.is_empty() || arg.is_empty() {
        return Err(FORM.into());
    }
    let format = ImageFormat::from_names(order, data_type).ok_or_else(|| {
        format!("`{format}` is not an image format; docs/images.md has the names")
    })?;
    Ok(FixedFormat { kernel: kernel.into(), arg: arg.into(), format })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_or_refused_with_the_reason() {
        let good = parse("blur.from=rgba:unorm8").expect("sound");
        assert_eq!((good.kernel.as_str(), good.arg.as_str()), ("blur", "from"));
        assert_eq!(Some(good.format), ImageFormat::from_names("rgba", "unorm8"));
        for bad in ["blur.from", "blur=rgba:unorm8", "blur.from=rgba", ".from=rgba:unorm8"] {
            assert!(parse(bad).expect_err(bad).contains("KERNEL.ARG=ORDER:TYPE"));
        }
        let e = parse("blur.from=rgb:unorm8").expect_err("there is no such format");
        assert!(e.contains("`rgb:unorm8` is not an image format"), "{e}");
    }
}
