// C = alpha * A^T * B + beta * C with tiles in local memory and in registers, all sizes by macros, vectors wherever possible.
#pragma OPENCL FP_CONTRACT OFF

#ifndef MWG
#define MWG 16
#define NWG 16
#define KWG 8
#define MDIMC 4
#define NDIMC 4
#define KWI 2
#define VWM 2
#define VWN 2
#endif

#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)
#define MDIMA MDIMC
#define KDIMA ((MDIMC * NDIMC) / (MDIMA))
#define MWA (MWG / MDIMA)
#define KWA (KWG / KDIMA)
#define NDIMB NDIMC
#define KDIMB ((MDIMC * NDIMC) / (NDIMB))
#define NWB (NWG / NDIMB)
#define KWB (KWG / KDIMB)

typedef float real;
#define ZERO 0.0f
#define SetToZero(a) a = ZERO
#define Multiply(c, a, b) c = (a) * (b)
#define MultiplyAdd(c, a, b) c += (a) * (b)

#if VWM == 1
typedef float realM;
#elif VWM == 2
typedef float2 realM;
#elif VWM == 4
typedef float4 realM;
#endif
#if VWN == 1
typedef float realN;
#elif VWN == 2
typedef float2 realN;
#elif VWN == 4
typedef float4 realN;
#endif

#define INLINE_FUNC inline __attribute__((always_inline))
#define LOCAL_PTR __local

INLINE_FUNC void InitAccRegisters(realM cpm[NWI][MWI / VWM])
{
    #pragma unroll
    for (int mi = 0; mi < MWI / VWM; ++mi) {
        #pragma unroll
        for (int ni = 0; ni < NWI; ++ni)
            cpm[ni][mi] = (realM)(ZERO);
    }
}

INLINE_FUNC void GlobalToLocalA(const __global realM *restrict agm, LOCAL_PTR realM *alm, const int kSizeM, const int tid, const int kwg)
{
    const int la0 = tid % MDIMA;
    const int la1 = tid / MDIMA;
    #pragma unroll
    for (int mia = 0; mia < MWA / VWM; ++mia) {
        #pragma unroll
        for (int kia = 0; kia < KWA; ++kia) {
            int mg = mia + la0 * (MWA / VWM);
            int kg = kia + la1 * KWA;
            int idm = mg + get_group_id(0) * (MWG / VWM);
            int idk = kg + kwg;
            alm[kg * (MWG / VWM) + mg] = agm[idk * (kSizeM / VWM) + idm];
        }
    }
}

INLINE_FUNC void GlobalToLocalB(const __global realN *restrict bgm, LOCAL_PTR realN *blm, const int kSizeN, const int tid, const int kwg)
{
    const int lb0 = tid % NDIMB;
    const int lb1 = tid / NDIMB;
    #pragma unroll
    for (int kib = 0; kib < KWB; ++kib) {
        #pragma unroll
        for (int nib = 0; nib < NWB / VWN; ++nib) {
            int ng = nib + lb0 * (NWB / VWN);
            int kg = kib + lb1 * KWB;
            int idn = ng + get_group_id(1) * (NWG / VWN);
            int idk = kg + kwg;
            blm[kg * (NWG / VWN) + ng] = bgm[idk * (kSizeN / VWN) + idn];
        }
    }
}

INLINE_FUNC void LocalToPrivateA(LOCAL_PTR realM *alm, realM apm[MWI / VWM], const int kg)
{
    #pragma unroll
    for (int mi = 0; mi < MWI / VWM; ++mi) {
        int mg = mi + get_local_id(0) * (MWI / VWM);
        apm[mi] = alm[kg * (MWG / VWM) + mg];
    }
}

INLINE_FUNC void LocalToPrivateB(LOCAL_PTR realN *blm, realN bpm[NWI / VWN], const int kg)
{
    #pragma unroll
    for (int ni = 0; ni < NWI / VWN; ++ni) {
        int ng = ni + get_local_id(1) * (NWI / VWN);
        bpm[ni] = blm[kg * (NWG / VWN) + ng];
    }
}

INLINE_FUNC realM MultiplyAddVector(realM cvec, const realM avec, const real bval)
{
#if VWM == 1
    MultiplyAdd(cvec, avec, bval);
#elif VWM == 2
    MultiplyAdd(cvec.x, avec.x, bval);
    MultiplyAdd(cvec.y, avec.y, bval);
#elif VWM == 4
    MultiplyAdd(cvec.x, avec.x, bval);
    MultiplyAdd(cvec.y, avec.y, bval);
    MultiplyAdd(cvec.z, avec.z, bval);
    MultiplyAdd(cvec.w, avec.w, bval);
#endif
    return cvec;
}

INLINE_FUNC void MultiplyAccumulate(realM cpm[NWI][MWI / VWM], realM apm[MWI / VWM], realN bpm[NWI / VWN])
{
    #pragma unroll
    for (int ni = 0; ni < NWI / VWN; ++ni) {
        #pragma unroll
        for (int mi = 0; mi < MWI / VWM; ++mi) {
            const realM aval = apm[mi];
#if VWN == 1
            cpm[ni][mi] = MultiplyAddVector(cpm[ni][mi], aval, bpm[ni]);
#elif VWN == 2
            cpm[ni * VWN + 0][mi] = MultiplyAddVector(cpm[ni * VWN + 0][mi], aval, bpm[ni].x);
            cpm[ni * VWN + 1][mi] = MultiplyAddVector(cpm[ni * VWN + 1][mi], aval, bpm[ni].y);
#elif VWN == 4
            cpm[ni * VWN + 0][mi] = MultiplyAddVector(cpm[ni * VWN + 0][mi], aval, bpm[ni].x);
            cpm[ni * VWN + 1][mi] = MultiplyAddVector(cpm[ni * VWN + 1][mi], aval, bpm[ni].y);
            cpm[ni * VWN + 2][mi] = MultiplyAddVector(cpm[ni * VWN + 2][mi], aval, bpm[ni].z);
            cpm[ni * VWN + 3][mi] = MultiplyAddVector(cpm[ni * VWN + 3][mi], aval, bpm[ni].w);
#endif
        }
    }
}

INLINE_FUNC void StoreResults(__global realM *cgm, realM cpm[NWI][MWI / VWM], const int kSizeM, const real alpha, const real beta)
{
    #pragma unroll
    for (int ni = 0; ni < NWI; ++ni) {
        #pragma unroll
        for (int mi = 0; mi < MWI / VWM; ++mi) {
            int mg = mi + get_local_id(0) * (MWI / VWM);
            int ng = ni + get_local_id(1) * NWI;
            int idm = mg + get_group_id(0) * (MWG / VWM);
            int idn = ng + get_group_id(1) * NWG;
            int index = idn * (kSizeM / VWM) + idm;
            realM result;
            realM xval = cpm[ni][mi];
            if (beta == ZERO) {
                result = alpha * xval;
            } else {
                realM yval = cgm[index];
                result = alpha * xval + beta * yval;
            }
            cgm[index] = result;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(MDIMC, NDIMC, 1)))
void Xgemm(const int kSizeM, const int kSizeN, const int kSizeK, const float arg_alpha, const float arg_beta,
           const __global realM *restrict agm, const __global realN *restrict bgm, __global realM *cgm)
{
    const int tid = get_local_id(0) + MDIMC * get_local_id(1);
    __local realM alm[KWG * MWG / VWM];
    __local realN blm[KWG * NWG / VWN];

    realM apm[MWI / VWM];
    realN bpm[NWI / VWN];
    realM cpm[NWI][MWI / VWM];
    InitAccRegisters(cpm);

    for (int kwg = 0; kwg < kSizeK; kwg += KWG) {
        GlobalToLocalA(agm, alm, kSizeM, tid, kwg);
        GlobalToLocalB(bgm, blm, kSizeN, tid, kwg);
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int pwi = 0; pwi < KWG; pwi += KWI) {
            #pragma unroll
            for (int pit = 0; pit < KWI; ++pit) {
                int kg = pwi + pit;
                LocalToPrivateA(alm, apm, kg);
                LocalToPrivateB(blm, bpm, kg);
                MultiplyAccumulate(cpm, apm, bpm);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    StoreResults(cgm, cpm, kSizeM, arg_alpha, arg_beta);
}
