import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { SvcError } from '@svc/errors'
import type { Environment } from '../backends/child-environment.ts'

/** Options of {@link readTrustedAuthorities}. */
export interface TrustedAuthoritiesOptions {
  /** The authorities of the system with `NODE_EXTRA_CA_CERTS`, PEM; undefined where the system has no such file. */
  readonly system: string | undefined
  readonly environment: Environment
  /** The file of `--mitm-extra-ca`. */
  readonly extraFile: string | undefined
}

/**
 * Reads the authorities that intercepted hosts are verified with, PEM.
 *
 * @returns undefined for the authorities that Node trusts by itself
 * @throws {SvcError} `mitm_extra_ca_unusable` for a named file without certificates
 */
export async function readTrustedAuthorities(options: TrustedAuthoritiesOptions): Promise<string | undefined> {
  const { system, environment, extraFile } = options
  if (extraFile === undefined) return system
  const extra = await readPem(extraFile)
  if (extra === undefined) {
    throw new SvcError('precondition_failed', `--mitm-extra-ca: ${extraFile} holds no certificates`, {
      code: 'mitm_extra_ca_unusable',
    })
  }
  return [system ?? (await readNodeAuthorities(environment)), extra].join('\n')
}

/** A list of authorities replaces those of Node, and with them the extra ones that Node has read. */
async function readNodeAuthorities({ NODE_EXTRA_CA_CERTS: file = '' }: Environment): Promise<string> {
  return [...rootCertificates, file === '' ? '' : ((await readPem(file)) ?? '')].join('\n')
}

async function readPem(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'latin1').catch(() => '')
  return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined
}
