import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/**
 * Loads the build of ONNX Runtime for this platform: the bundled engine calls this in place of its own `require`. It lies
 * in a package of its own; in a checkout, in `onnxruntime-node`.
 *
 * @throws {Error} when no build is installed, or the system cannot load it
 */
export function loadBinding(): unknown {
  const { platform, arch } = process
  const own = `@svc/onnxruntime-${platform}-${arch}`
  const places = [own, `onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`]
  const place = places.find(isInstalled)
  if (place === undefined) throw new Error(`${own} is not installed`)
  return load(place)
}

function isInstalled(place: string): boolean {
  try {
    load.resolve(place)
    return true
  } catch {
    return false
  }
}
