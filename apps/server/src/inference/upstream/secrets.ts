import { readFile } from 'node:fs/promises'
import type { SecretReader } from '@svc/proxy'
import type { Environment } from '../../backends/child-environment.ts'

/** Reads keys of upstreams from the environment of this process and from files. */
export function createSecrets(environment: Environment): SecretReader {
  return { variable: (name) => environment[name], file: (path) => readFile(path, 'utf8') }
}
