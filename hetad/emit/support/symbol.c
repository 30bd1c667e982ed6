// The address of a device variable, whose extent is known from its declaration.
static cudaError_t hetad_symbol_address(void **p, const void *symbol, size_t bytes)
{
    hetad_check(cudaGetSymbolAddress(p, symbol));
    hetad_register(*p, bytes, 1, 0);
    return cudaSuccess;
}
