import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EsbuildPlugin } from '../../../tsup.program.ts'

const BINDING =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the engine
  'require(`../bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`)'

/**
 * Takes onnxruntime-node into the bundle: its package holds the builds for every system, 288 MB. Its build is loaded by
 * `loadBinding`.
 *
 * @param loader file of `loadBinding`, from the folder of the package
 */
export function bundleEngine(loader = 'src/engine/load-binding.ts'): EsbuildPlugin {
  return {
    name: 'engine',
    setup(build) {
      build.onLoad({ filter: /[/\\]onnxruntime-node[/\\]dist[/\\]binding\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (!text.includes(BINDING)) throw new Error(`${path} loads its build in another way`)
        const from = JSON.stringify(resolve(loader))
        return { contents: text.replace(BINDING, () => `require(${from}).loadBinding()`) }
      })
    },
  }
}
