import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAMS = fileURLToPath(new URL('./python', import.meta.url))
const PROTOS = fileURLToPath(new URL('../../../../protos', import.meta.url))
const require = createRequire(import.meta.url)

/** A Python with grpc and protobuf, or the reason to skip its tests. Nothing is ever installed. */
export type Python = { readonly path: string; readonly missing?: undefined } | { readonly missing: string }

/** Checks `INTEROP_PYTHON`, then `python3` of the path, then the system's own. */
export function findPython(): Python {
  const candidates = [process.env.INTEROP_PYTHON, 'python3', '/usr/bin/python3'].filter((path) => path !== undefined)
  let why = 'there is no python3'
  for (const candidate of candidates) {
    const probe = 'import sys, grpc, google.protobuf; print(sys.executable)'
    const { status, stdout, stderr } = spawnSync(candidate, ['-c', probe], { encoding: 'utf8', timeout: 30_000 })
    if (status === 0) return { path: stdout.trim() }
    const last = (stderr ?? '').trim().split('\n').at(-1)
    if (last) why = `${candidate}: ${last}`
  }
  return { missing: `${why} (Debian: python3-grpcio python3-protobuf)` }
}

/** Names a block of tests, with the reason when it is skipped. */
export function titled(name: string, { missing }: { readonly missing?: string | undefined }): string {
  return missing === undefined ? name : `${name} [not run: ${missing}]`
}

/** Writes all messages and methods of the contract as a descriptor set, from which Python creates its classes. */
export function writeContract(file: string): void {
  const protoc = require.resolve('protoc/protoc.cjs')
  const args = ['--include_imports', `--descriptor_set_out=${file}`, `-I${PROTOS}`, 'backend.proto', 'extensions.proto']
  execFileSync(process.execPath, [protoc, ...args])
}

/** Options of an installed backend. */
export interface InstallOptions {
  /** Content of `metadata.json`; null leaves the file out. @default the file in `python/` */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  /** Maximum size of a request. @default 50 MiB */
  readonly maxReceiveBytes?: number | undefined
}

/** Installs the Python backend as a folder with a `run.sh` and returns its path. */
export function installBackend(python: string, folder: string, options: InstallOptions = {}): string {
  mkdirSync(folder, { recursive: true })
  for (const name of ['backend.py', 'contract.py', 'images.py', 'run.sh'])
    copyFileSync(join(PROGRAMS, name), join(folder, name))
  symlinkSync(python, join(folder, 'python'))
  writeContract(join(folder, 'contract.pb'))
  if (options.metadata === undefined) copyFileSync(join(PROGRAMS, 'metadata.json'), join(folder, 'metadata.json'))
  else if (options.metadata !== null) writeFileSync(join(folder, 'metadata.json'), JSON.stringify(options.metadata))
  if (options.maxReceiveBytes !== undefined)
    writeFileSync(join(folder, 'max_receive_bytes'), String(options.maxReceiveBytes))
  return folder
}
