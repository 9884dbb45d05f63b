/** The parts of WebAssembly that are used here: the types of Node 20 do not have it. */
declare global {
  namespace WebAssembly {
    interface Module {
      readonly [Symbol.toStringTag]: 'WebAssembly.Module'
    }
    interface Instance {
      readonly exports: Readonly<Record<string, unknown>>
    }
    function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>
    function instantiate(module: Module, imports: Readonly<Record<string, object>>): Promise<Instance>
  }
}

export {}
