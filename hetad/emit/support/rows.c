// Rows of `width` bytes, `pitch` bytes apart, wherever they are.
static void hetad_clear_rows(void *p, size_t pitch, size_t width, size_t height, int on_device)
{
    if (p == NULL || width == 0 || height == 0) {
        return;
    }
    hetad_sized(pitch > 0 && height > PTRDIFF_MAX / pitch ? SIZE_MAX : height * pitch);  // if used
    if (on_device) {
        const int before = hetad_go_to(p);  // if used
        hetad_check(cudaMemset2D(p, pitch, 0, width, height));
        hetad_go_back(before);  // if used
        return;
    }
    for (size_t row = 0; row < height; ++row) {
        memset((char *)p + row * pitch, 0, width);
    }
}
