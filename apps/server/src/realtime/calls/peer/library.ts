import { createRequire } from 'node:module'
import { SvcError } from '@svc/errors'
import type * as NodeDataChannel from 'node-datachannel'

/** The parts of the WebRTC library that calls use. */
export type MediaLibrary = Pick<typeof NodeDataChannel, 'Audio' | 'PeerConnection'>

/** The version of the library's builds. */
export const BUILD_VERSION = '0.33.4'

/** The system for which a build is chosen. */
export interface Machine {
  readonly platform: string
  readonly arch: string
  readonly hasMusl: boolean
}

const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'darwin', win32: 'win32', linux: 'linux' }

/** The package with the build for a system; undefined where there is none. */
export function nameBuild({ platform, arch, hasMusl }: Machine): string | undefined {
  const system = SYSTEMS[platform]
  if (system === undefined || (arch !== 'x64' && arch !== 'arm64')) return undefined
  const library = { linux: hasMusl ? '-musl' : '-gnu', win32: '-msvc', darwin: '' }[system] ?? ''
  return `@node-datachannel/${system}-${arch}${library}`
}

/** Loads a module by its name; replaceable in tests. */
export type LoadModule = (name: string) => unknown

/**
 * Loads the library: the build for this system, which is installed with the server, or beside it. Nothing is read before
 * the first call.
 *
 * @throws {SvcError} `not_implemented` with the code `webrtc_missing`
 */
export function loadMediaLibrary(machine = readMachine(), load: LoadModule = loadInstalled): MediaLibrary {
  const name = nameBuild(machine)
  if (name === undefined) {
    throw missing(`there is no WebRTC library for ${machine.platform} on ${machine.arch}; use GET /v1/realtime`)
  }
  try {
    return load(name) as MediaLibrary
  } catch (cause) {
    throw missing(`calls need a WebRTC library: npm install -g ${name}@${BUILD_VERSION}`, cause)
  }
}

function missing(message: string, cause?: unknown): SvcError {
  return new SvcError('not_implemented', message, { code: 'webrtc_missing', cause })
}

/** Finds a build beside the server, or, in a checkout, beside the package that depends on it. */
function loadInstalled(name: string): unknown {
  const require = createRequire(import.meta.url)
  try {
    return require(name)
  } catch (error) {
    const from = findPackage(require)
    if (from === undefined) throw error
    return createRequire(from)(name)
  }
}

function findPackage(require: NodeJS.Require): string | undefined {
  try {
    return require.resolve('node-datachannel')
  } catch {
    return undefined
  }
}

function readMachine(): Machine {
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
  const hasMusl = process.platform === 'linux' && header.glibcVersionRuntime === undefined
  return { platform: process.platform, arch: process.arch, hasMusl }
}
