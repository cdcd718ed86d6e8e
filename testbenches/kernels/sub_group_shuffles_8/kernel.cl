// The kernels of sub_group_shuffles, built for sub-groups of 8 work-items.

#include "../sub_group_shuffles/kernel.cl"
