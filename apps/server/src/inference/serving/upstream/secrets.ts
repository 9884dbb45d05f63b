import { SvcError } from '@svc/errors'
import type { SecretReader } from '@svc/proxy'
import type { Environment } from '../../../backends/child-environment.ts'
import { OPTIONS } from '../../../config/schema.ts'
import type { KeyFiles } from '../../../key-files/key-files.ts'

/** Variables that parts of this server read by themselves: receivers of spans, the database, proxies with a password. */
const VARIABLES_OF_PARTS = [
  ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'PGPASSWORD'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'],
]

/** Variables with secrets of this server. The hub's token is left out: providers that belong to the hub take it too. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  ...OPTIONS.filter(({ key, secret }) => secret === true && key !== 'hubToken').flatMap(({ env = [] }) => env),
  ...VARIABLES_OF_PARTS,
])

/** Reads keys of upstreams from the environment of this process and from files, but no secret of the server itself. */
export function createSecrets(environment: Environment, keyFiles: Pick<KeyFiles, 'read'>): SecretReader {
  return {
    variable(name) {
      // Windows takes every case of a name for the same variable, and proxies have lower-case names too.
      if (!OWN_VARIABLES.has(name.toUpperCase()))
        return Object.hasOwn(environment, name) ? environment[name] : undefined
      throw new SvcError('forbidden', `the variable ${name} is a secret of this server`, { code: 'own_secret' })
    },
    file: (path) => keyFiles.read(path),
  }
}
