// Reads the number of cycles of a block and their operands, answers with what stands at the outputs in each of them, until
// the input ends. Outputs are those before the clock edge at the end of the cycle.
int main() {
  VerilatedContext context;
  Voperators top{&context};
  uint64_t cycles;
  std::vector<uint64_t> in, out;
  top.clk = 0;
  while (fread(&cycles, sizeof cycles, 1, stdin) == 1) {
    in.resize(cycles * INPUTS);
    out.resize(cycles * OUTPUTS);
    if (fread(in.data(), sizeof in[0], in.size(), stdin) != in.size()) return 1;
    for (uint64_t k = 0; k < cycles; k++) {
      set(top, &in[k * INPUTS]);
      top.clk = 0;
      top.eval();
      get(top, &out[k * OUTPUTS]);
      top.clk = 1;
      top.eval();
    }
    fwrite(out.data(), sizeof out[0], out.size(), stdout);
    fflush(stdout);
  }
  return 0;
}
