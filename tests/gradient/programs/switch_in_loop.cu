/*---
function = "interpret"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 12
[inputs]
y = { zeros = [12] }
x = { shape = [12], random_uniform = 1, low = 0.3, high = 1.2 }
code = { values = [0, 1, 2, 3, 7, 4, 1, 0, 5, 2, 9] }
length = 11
---*/
// A switch in a loop: break leaves the one, continue the other, cases share statements, an enum names them.
enum operation { ADD, SQUARE, ROOT = 2, SKIP, INVERT, HALT = 9 };

__global__ void interpret(double *y, const double *x, const int *code, int length)
{
    double v = x[threadIdx.x];
    for (int pc = 0; pc < length; pc++) {
        switch ((code[pc] + threadIdx.x % 2 * (code[pc] < 3)) % 10) {
        case ADD:
            v += x[threadIdx.x];
            break;
        case SQUARE: {
            double w = v * v;
            v = w;
        }
        // falls through
        case ROOT:
            v = sqrt(v + 0.5);
            break;
        case SKIP:
            if (threadIdx.x % 3 == 0)
                continue;
            v *= x[0];
            break;
        case INVERT:
        case 5:
            v = 1.0 / (1.0 + v);
            break;
        case HALT:
            y[threadIdx.x] = v;
            return;
        default:
            v = v - 0.1 * v * v;
        }
        v *= 0.9;
    }
    y[threadIdx.x] = -v;
}
