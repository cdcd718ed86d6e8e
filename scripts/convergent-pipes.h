// Functions of pipes that all work-items of a group call together, kept together.
//
// clang declares them without `convergent`: its optimisers copy them into both arms of a branch in front of them
// (jump threading), and work-items that took different ways no longer come to the same call. Included before a kernel (clang
// -include ...), this header puts a call of a function of which clang knows nothing, and which is therefore convergent,
// in front of each: code that contains it is not copied. clhls takes it for nothing.
#if __OPENCL_C_VERSION__ >= 200
void clhls_convergent(void);
#define work_group_reserve_read_pipe(pipe, count) (clhls_convergent(), work_group_reserve_read_pipe(pipe, count))
#define work_group_reserve_write_pipe(pipe, count) (clhls_convergent(), work_group_reserve_write_pipe(pipe, count))
#define work_group_commit_read_pipe(pipe, id) (clhls_convergent(), work_group_commit_read_pipe(pipe, id))
#define work_group_commit_write_pipe(pipe, id) (clhls_convergent(), work_group_commit_write_pipe(pipe, id))
#define sub_group_reserve_read_pipe(pipe, count) (clhls_convergent(), sub_group_reserve_read_pipe(pipe, count))
#define sub_group_reserve_write_pipe(pipe, count) (clhls_convergent(), sub_group_reserve_write_pipe(pipe, count))
#define sub_group_commit_read_pipe(pipe, id) (clhls_convergent(), sub_group_commit_read_pipe(pipe, id))
#define sub_group_commit_write_pipe(pipe, id) (clhls_convergent(), sub_group_commit_write_pipe(pipe, id))
#endif
