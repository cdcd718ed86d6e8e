//! What `clGetKernelSubGroupInfo` answers.

use super::build::KernelFacts;

impl KernelFacts {
    /// `CL_KERNEL_MAX_NUM_SUB_GROUPS`: most sub-groups of a work-group.
    pub fn most_sub_groups(&self) -> usize {
        self.sub_groups_of(self.signature.max_work_group_size as usize)
    }

    /// `CL_KERNEL_COMPILE_NUM_SUB_GROUPS`: the only number of sub-groups of a work-group that the kernel allows; 0 if it does not say.
    pub fn compiled_sub_groups(&self) -> usize {
        self.signature.sub_groups.map_or(0, |required| required.count as usize)
    }

    /// Sub-groups of a work-group of so many work-items.
    pub fn sub_groups_of(&self, items: usize) -> usize {
        items.div_ceil(self.sub_group_size as usize)
    }

    /// `CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT`: a local size with which work-groups have so many sub-groups, in as many dimensions;
    /// zeros if the kernel cannot be launched with any.
    pub fn local_size_for(&self, count: usize, dimensions: usize) -> Vec<usize> {
        let none = vec![0; dimensions];
        let compiled = self.compiled_sub_groups();
        if count == 0 || (compiled != 0 && compiled != count) {
            return none;
        }
        if let Some(required) = self.signature.reqd_work_group_size {
            let required = required.map(|n| n as usize);
            let (used, unused) = required.split_at(dimensions.min(required.len()));
            let fits = self.sub_groups_of(required.iter().product()) == count;
            return if fits && unused.iter().all(|n| *n == 1) { used.to_vec() } else { none };
        }
        let whole = count.saturating_mul(self.sub_group_size as usize);
        let items = whole.min(self.signature.max_work_group_size as usize);
        if self.sub_groups_of(items) != count {
            return none;
        }
        let mut local = vec![1; dimensions];
        local[0] = items;
        local
    }
}

#[cfg(test)]
mod tests {
    use crate::core::build::KernelFacts;
    use crate::core::launch::Range;
    use crate::sys::constants::CL_INVALID_WORK_GROUP_SIZE;

    /// A kernel with these attributes, as the emulator's devices have it; sub-groups have 16 work-items.
    fn kernel(attributes: &str) -> KernelFacts {
        let text = format!(
            "module \"m\" addr 64 cl 120\nkernel f0 \"k\" {{\n{attributes}\nb0:\n  ret\n}}\n"
        );
        let module = ir::parse::parse_module(&text).unwrap();
        ir::verify::verify_module(&module).unwrap();
        let [signature] = driver::signature::signatures(&module).try_into().unwrap();
        KernelFacts { signature, local_bytes: 0, attributes: String::new(), sub_group_size: 16 }
    }

    /// Numbers of sub-groups that a kernel has in a work-group at most, and that it must have.
    fn counts(kernel: &KernelFacts) -> (usize, usize) {
        (kernel.most_sub_groups(), kernel.compiled_sub_groups())
    }

    #[test]
    fn kernels_without_a_number_of_sub_groups_have_any() {
        let free = kernel("");
        assert_eq!(counts(&free), (16, 0));
        assert_eq!(free.local_size_for(3, 1), [48]);
        assert_eq!(free.local_size_for(16, 3), [256, 1, 1]);
        assert_eq!(free.local_size_for(17, 3), [0, 0, 0]);
        assert_eq!(free.local_size_for(0, 2), [0, 0]);
        assert_eq!(free.local_size_for(usize::MAX, 2), [0, 0]);
    }

    /// What the queries give can be launched.
    #[test]
    fn answers_agree_with_what_a_kernel_requires() {
        let four = kernel("sub_groups 4 of 16");
        assert_eq!((four.signature.max_work_group_size, counts(&four)), (64, (4, 4)));
        assert_eq!(four.local_size_for(4, 2), [64, 1]);
        assert_eq!(four.local_size_for(3, 2), [0, 0]);
        let small = kernel("max_work_group_size 6 10 1 sub_groups 4 of 16");
        assert_eq!((small.signature.max_work_group_size, counts(&small)), (60, (4, 4)));
        assert_eq!(small.local_size_for(4, 1), [60]);
        let more = kernel("sub_groups 32 of 16");
        assert_eq!((more.signature.max_work_group_size, counts(&more)), (512, (32, 32)));
        for (size, attribute) in [([8, 7, 1], "sub_groups 4 of 16"), ([8, 7, 1], "")] {
            let [x, y, z] = size;
            let required = kernel(&format!("reqd_work_group_size {x} {y} {z} {attribute}"));
            assert_eq!(required.local_size_for(4, 3), size);
            assert_eq!(required.local_size_for(4, 2), [8, 7]);
            assert_eq!(required.local_size_for(4, 1), [0], "two dimensions are needed");
            assert_eq!(required.local_size_for(3, 3), [0, 0, 0]);
        }
    }

    #[test]
    fn launches_with_another_number_of_sub_groups_are_refused() {
        let four = kernel("sub_groups 4 of 16");
        let resolve = |global: &[usize], local: Option<&[usize]>| {
            let local = local.map(<[usize]>::to_vec);
            let range = Range { global: global.to_vec(), local, offset: None };
            range.resolve(&four).map(|range| range.unwrap().local)
        };
        assert_eq!(resolve(&[128], Some(&[64])), Ok([64, 1, 1]));
        assert_eq!(resolve(&[100], Some(&[50])), Ok([50, 1, 1]));
        assert_eq!(resolve(&[96], Some(&[48])), Err(CL_INVALID_WORK_GROUP_SIZE));
        assert_eq!(resolve(&[130], Some(&[65])), Err(CL_INVALID_WORK_GROUP_SIZE));
        // none given: the largest of 49 to 64 that divides the global size
        assert_eq!(resolve(&[150], None), Ok([50, 1, 1]));
        assert_eq!(resolve(&[9, 12], None), Ok([9, 6, 1]));
        assert_eq!(resolve(&[97], None), Err(CL_INVALID_WORK_GROUP_SIZE));
    }
}
