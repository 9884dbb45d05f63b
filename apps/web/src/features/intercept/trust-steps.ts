/** Values that the steps are written with. */
export interface TrustTarget {
  /** Address at which clients reach the proxy, such as `127.0.0.1:8888`. */
  readonly proxy: string
  /** Address from which the certificate is fetched. */
  readonly certificateUrl: string
  /** Whether fetching it needs a key. */
  readonly needsKey: boolean
  /** A host that the proxy intercepts. */
  readonly host: string
}

/** Clients and systems, in the order of the tabs. */
export const CLIENTS = ['shell', 'debian', 'fedora', 'macos', 'windows', 'browser'] as const

export type Client = (typeof CLIENTS)[number]

const FILE = 'svc-ca.crt'
/** The name in the certificate. */
const AUTHORITY = 'svc MITM Proxy CA'
const DEBIAN = '/usr/local/share/ca-certificates/svc-ca.crt'
const FEDORA = '/etc/pki/ca-trust/source/anchors/svc-ca.crt'
const KEYCHAIN = '/Library/Keychains/System.keychain'

/** The command that fetches the certificate. */
export function writeFetch({ certificateUrl, needsKey }: TrustTarget): string {
  return `curl -fsS ${certificateUrl}${needsKey ? ' -H "Authorization: Bearer $KEY"' : ''} -o ${FILE}`
}

/** The command that shows whether the proxy and its certificate work. */
export function writeTest({ proxy, host }: TrustTarget): string {
  return `curl -sS -o /dev/null -w '%{http_code}\\n' --proxy http://${proxy} --cacert ${FILE} https://${host}/`
}

/** The commands that make a client trust the certificate. */
export function writeTrust(client: Client, { proxy }: TrustTarget): string {
  return {
    shell: [
      `export HTTPS_PROXY=http://${proxy} NO_PROXY=localhost,127.0.0.1,::1`,
      `export NODE_EXTRA_CA_CERTS=$PWD/${FILE} # Node.js`,
      `cat /etc/ssl/certs/ca-certificates.crt ${FILE} > svc-bundle.crt`,
      'export REQUESTS_CA_BUNDLE=$PWD/svc-bundle.crt # Python',
      'export SSL_CERT_FILE=$PWD/svc-bundle.crt # Go, Ruby, OpenSSL',
    ],
    debian: [`sudo cp ${FILE} ${DEBIAN}`, 'sudo update-ca-certificates'],
    fedora: [`sudo cp ${FILE} ${FEDORA}`, 'sudo update-ca-trust'],
    macos: [`sudo security add-trusted-cert -d -r trustRoot -k ${KEYCHAIN} ${FILE}`],
    windows: [`certutil -addstore -f Root ${FILE}`],
    browser: [`certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n svc-ca -i ${FILE} # Chromium on Linux`],
  }[client].join('\n')
}

/** The commands that take the trust back. */
export function writeRemoval(client: Client): string {
  return {
    shell: [
      'unset HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_FILE',
      `rm -f ${FILE} svc-bundle.crt`,
    ],
    debian: [`sudo rm ${DEBIAN}`, 'sudo update-ca-certificates --fresh'],
    fedora: [`sudo rm ${FEDORA}`, 'sudo update-ca-trust'],
    macos: [`sudo security remove-trusted-cert -d ${FILE}`],
    windows: [`certutil -delstore Root "${AUTHORITY}"`],
    browser: ['certutil -d sql:$HOME/.pki/nssdb -D -n svc-ca # Chromium on Linux'],
  }[client].join('\n')
}
