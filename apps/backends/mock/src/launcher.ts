import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MockScript } from './script.ts'

/** Place of the launcher, and behaviour of the mock from its start. */
export interface MockLauncherOptions {
  /** An existing folder of the test. */
  readonly folder: string
  /** File name of the launcher. @default 'run.sh' */
  readonly name?: string | undefined
  /** Script that applies before a model is loaded: slow, failing or crashing Health and LoadModel. @default none */
  readonly script?: MockScript | undefined
}

/** A program that starts the mock. */
export interface MockLauncher {
  /** An executable file that takes `--addr`, as a host expects a backend. */
  readonly path: string
  /** The same command without the file. */
  readonly command: string
  readonly args: readonly string[]
}

/**
 * Writes an executable that becomes the mock: the build where it is newer than its sources, else the sources.
 *
 * @example
 * const { path } = writeMockLauncher({ folder })
 * spawn(path, ['--addr', '127.0.0.1:0'])
 */
export function writeMockLauncher({ folder, name = 'run.sh', script }: MockLauncherOptions): MockLauncher {
  const path = join(folder, name)
  const args = programArguments()
  const lines = ['#!/bin/sh']
  if (script) {
    const file = `${path}.script.json`
    writeFileSync(file, JSON.stringify(script))
    lines.push(`export MOCK_SCRIPT=${quote(file)}`)
  }
  lines.push(`exec ${[process.execPath, ...args].map(quote).join(' ')} "$@"`)
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 })
  return { path, command: process.execPath, args }
}

function programArguments(): string[] {
  const here = dirname(fileURLToPath(import.meta.url))
  const root = dirname(here)
  const built = join(root, 'dist/main.js')
  const source = join(root, 'src/main.ts')
  if (existsSync(built) && (!existsSync(source) || statSync(built).mtimeMs > newest(join(root, 'src')))) return [built]
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return ['--conditions=@svc/source', '--import', tsx, source]
}

function newest(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...names.map((name) => statSync(join(folder, name)).mtimeMs))
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
