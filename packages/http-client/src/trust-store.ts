import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'

/** Where systems keep the authorities that they trust, in one file. */
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

/** What {@link readTrustStore} needs. */
export interface TrustStoreOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Told of a file that somebody names and that holds no certificates. */
  readonly onEmpty: (variable: 'SSL_CERT_FILE' | 'NODE_EXTRA_CA_CERTS', file: string) => void
  /** @default those of the usual systems */
  readonly bundles?: readonly string[] | undefined
}

/**
 * The authorities that upstreams may have their certificates from, PEM: those of the operating system, or of
 * `SSL_CERT_FILE` in their place, and those of `NODE_EXTRA_CA_CERTS` beside them.
 *
 * @returns undefined where the system has no such file: then Node's own are trusted, and with them the extra ones
 */
export async function readTrustStore({
  environment,
  onEmpty,
  bundles = BUNDLES,
}: TrustStoreOptions): Promise<string | undefined> {
  const { SSL_CERT_FILE: own = '', NODE_EXTRA_CA_CERTS: extra = '' } = environment
  const chosen = own === '' ? undefined : await readCertificates(own)
  if (own !== '' && chosen === undefined) onEmpty('SSL_CERT_FILE', own)
  const bundle = chosen ?? (await firstOf(bundles))
  if (bundle === undefined) return undefined
  const more = extra === '' ? undefined : await readCertificates(extra)
  if (extra !== '' && more === undefined) onEmpty('NODE_EXTRA_CA_CERTS', extra)
  return more === undefined ? bundle : `${bundle}\n${more}`
}

async function firstOf(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const found = await readCertificates(file)
    if (found !== undefined) return found
  }
  return undefined
}

/** A file of certificates; nothing where there is none, or no certificate in it. */
async function readCertificates(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'latin1').catch(() => '')
  return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined
}

/**
 * What connections are checked against, made with the first one that asks: reading a hundred certificates takes longer
 * than most requests.
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
