// A buffer that the caller owns, and how many bytes of it there are.
static void hetad_argument(const void *p, size_t bytes, int on_device)
{
    if (p != NULL) {
        hetad_register((void *)p, bytes, on_device, 0);
    }
}
