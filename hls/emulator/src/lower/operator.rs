//! Operations that the processor has no instruction for: datapaths of crate `arith`, as machine code.
//!
//! A datapath is a function of the IR on integers. Each one that a module needs becomes a function of its own, which
//! all kernels call; it is the very IR that hardware is made of.

use super::{Analysis, Frame, Kernel, Lower, Result, Shared, Unit};
use crate::nan::NanClasses;
use crate::phases::Phases;
use crate::shape::Shapes;
use crate::types::{ADDR_BITS, int_reg, width};
use arith::Operator;
use base::entity::SecondaryMap;
use base::{Diagnostic, IndexMap, SmallVec};
use cranelift_codegen::ir::{self as clif, AbiParam, BlockArg, InstBuilder, Signature, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module as _};
use ir::analysis::Cfg;
use ir::{Func, MathFn, Op, Type};
use std::rc::Rc;

/// The machine code that a module is compiled into, with the operators it needs.
pub(crate) struct Operators<'c> {
    pub code: &'c mut JITModule,
    /// Those that are called, in the order of their first calls.
    pub needed: IndexMap<Operator, FuncId>,
}

impl Operators<'_> {
    fn id(&mut self, operator: Operator, call_conv: CallConv) -> Result<FuncId> {
        if let Some(id) = self.needed.get(&operator) {
            return Ok(*id);
        }
        let declared = self.code.declare_anonymous_function(&signature(operator, call_conv));
        let id = declared.map_err(|e| Diagnostic::error("E0001", e.to_string()))?;
        self.needed.insert(operator, id);
        Ok(id)
    }
}

/// Operands and result as the integers that have room for them.
pub(crate) fn signature(operator: Operator, call_conv: CallConv) -> Signature {
    let mut s = Signature::new(call_conv);
    s.params.extend(operator.input_widths().iter().map(|w| AbiParam::new(int_reg(*w))));
    s.returns.push(AbiParam::new(int_reg(operator.output_widths().iter().sum())));
    s
}

/// The operator that computes what the interpreter computes, if there is one.
pub(crate) fn operator_of(op: Op, operand: Type, result: Type) -> Option<Operator> {
    match op {
        // loops, not datapaths
        Op::FRem | Op::Math(MathFn::Remainder | MathFn::RemquoBits) => None,
        // the interpreter has the host's conversion
        Op::FpToInt { .. } => None,
        op if op.is_int_binary() => None,
        op => Operator::from_ir(op, operand, result),
    }
}

impl Lower<'_, '_, '_> {
    /// Calls an operator.
    pub(super) fn operate(
        &mut self,
        operator: Operator,
        result: Type,
        args: &[(Type, clif::Value)],
    ) -> Option<clif::Value> {
        let widths = operator.input_widths();
        if widths.len() != args.len() || args.iter().any(|(ty, _)| width(*ty) > 64) {
            return None;
        }
        let id = self.operators.id(operator, self.shared.call_conv).ok()?;
        let callee = self.operators.code.declare_func_in_func(id, self.b.func);
        // functions may lie anywhere in memory
        self.b.func.dfg.ext_funcs[callee].colocated = false;
        let mut bits: SmallVec<[clif::Value; 3]> = SmallVec::new();
        for (&(_, x), &w) in args.iter().zip(&widths) {
            let x = self.as_bits(x);
            bits.push(self.resize(x, int_reg(w)));
        }
        let call = self.b.ins().call(callee, &bits);
        let value = self.b.inst_results(call)[0];
        let bits = self.resize(value, int_reg(width(result)));
        Some(self.as_lane(result, bits))
    }
}

/// Writes the function of an operator into `out`.
///
/// # Errors
/// Only defects.
pub(crate) fn write(
    shared: &Shared<'_>,
    operator: Operator,
    unit: &mut Unit,
    operators: &mut Operators<'_>,
    out: &mut clif::Function,
    buffers: &mut FunctionBuilderContext,
    config: TargetFrontendConfig,
) -> Result<()> {
    let func = arith::build_function(operator, ADDR_BITS);
    let cfg = Cfg::new(&func);
    let nan = NanClasses::new(&func, &cfg, true);
    let analysis = Rc::new(Analysis { cfg, nan });
    let phases = Phases::new(&func, &analysis.cfg);
    let kernel = Kernel {
        id: Func::from_u32(0),
        func: &func,
        shapes: Shapes::new(&func, &analysis.cfg, &phases),
        phases,
        analysis: analysis.clone(),
        spills: SecondaryMap::new(),
        wide: vec![],
    };
    let mut b = FunctionBuilder::new(out, buffers);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let args: Vec<BlockArg> = b.block_params(entry).iter().map(|p| (*p).into()).collect();
    let exit = b.create_block();
    let result = func.result.ok_or_else(|| Diagnostic::error("E0001", "an operator's result"))?;
    b.append_block_param(exit, int_reg(width(result)));
    let none = b.ins().iconst(types::I64, 0);
    let frame = Frame::new(&func, analysis.clone(), exit);
    let mut lower = Lower {
        b,
        shared,
        unit,
        operators,
        kernel: &kernel,
        frame,
        stack: vec![kernel.id; 2], // not a kernel: results are returned
        context: none,
        item: [none; 3],
        linear: none,
        count: none,
        scratch: None,
    };
    lower.make_blocks(&analysis.cfg.rpo);
    let first = lower.frame.blocks[func.entry()];
    let first = first.ok_or_else(|| Diagnostic::error("E0001", "an operator's block"))?;
    lower.b.ins().jump(first, &args);
    lower.write_blocks(&analysis.cfg.rpo)?;
    lower.b.switch_to_block(exit);
    let value = lower.b.block_params(exit)[0];
    lower.b.ins().return_(&[value]);
    lower.b.seal_all_blocks();
    lower.b.finalize(config);
    Ok(())
}
