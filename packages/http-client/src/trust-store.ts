import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'

/** Files in which systems keep their trusted authorities. */
const BUNDLES = [
  // Debian, Ubuntu, Arch, Gentoo
  '/etc/ssl/certs/ca-certificates.crt',
  // Fedora, RHEL
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  // openSUSE
  '/etc/ssl/ca-bundle.pem',
  // Alpine, macOS, BSD
  '/etc/ssl/cert.pem',
]

/** Options of {@link readTrustStore}. */
export interface TrustStoreOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called for a named file without certificates. */
  readonly onEmpty: (variable: 'SSL_CERT_FILE' | 'NODE_EXTRA_CA_CERTS', file: string) => void
  /** @default the files of the usual systems */
  readonly bundles?: readonly string[] | undefined
}

/**
 * Reads the trusted authorities for upstreams, PEM: the ones of the operating system, or of `SSL_CERT_FILE` instead,
 * plus the ones of `NODE_EXTRA_CA_CERTS`.
 *
 * @returns undefined where the system has no such file: then Node trusts its own authorities and the extra ones
 */
export async function readTrustStore({
  environment,
  onEmpty,
  bundles = BUNDLES,
}: TrustStoreOptions): Promise<string | undefined> {
  const { SSL_CERT_FILE: own = '', NODE_EXTRA_CA_CERTS: extra = '' } = environment
  const chosen = own === '' ? undefined : await readCertificates(own)
  if (own !== '' && chosen === undefined) onEmpty('SSL_CERT_FILE', own)
  const bundle = chosen ?? (await findFirst(bundles))
  if (bundle === undefined) return undefined
  const more = extra === '' ? undefined : await readCertificates(extra)
  if (extra !== '' && more === undefined) onEmpty('NODE_EXTRA_CA_CERTS', extra)
  return more === undefined ? bundle : `${bundle}\n${more}`
}

async function findFirst(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const found = await readCertificates(file)
    if (found !== undefined) return found
  }
  return undefined
}

/** Reads a file of certificates; undefined for a missing file or one without certificates. */
async function readCertificates(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'latin1').catch(() => '')
  return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined
}

/**
 * Creates the TLS context of connections, on first use: reading a hundred certificates takes longer than most requests.
 *
 * @param ca PEM; undefined for Node's own
 */
export function createTrust(ca: string | readonly string[] | undefined): (() => SecureContext) | undefined {
  if (ca === undefined) return undefined
  let made: SecureContext | undefined
  return () => {
    made ??= createSecureContext({ ca: typeof ca === 'string' ? ca : [...ca] })
    return made
  }
}
