// European options by the formula of Black and Scholes, the normal distribution by Abramowitz and Stegun 26.2.17.
#pragma OPENCL FP_CONTRACT OFF

float normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float series = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040f * exp(-0.5f * x * x) * series;
    return x < 0.0f ? tail : 1.0f - tail;
}

__kernel void black_scholes(__global const float *restrict price, __global const float *restrict strike,
                            __global const float *restrict years, __global float *restrict call, __global float *restrict put,
                            float rate, float volatility)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread);
    float discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
