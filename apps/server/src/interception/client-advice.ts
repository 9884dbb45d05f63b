/** The certificate of the authority, and the address of the proxy. */
export interface ClientAdvice {
  readonly certificatePath: string
  /** SHA-256 of the certificate. */
  readonly fingerprint: string
  readonly validUntil: Date
  /** Where the proxy listens, such as `127.0.0.1:8888`; undefined where no flag or variable says it. */
  readonly proxy: string | undefined
}

/** The bundle of authorities on most systems. */
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt'

/** Writes how clients use the proxy and trust its certificate. */
export function formatClientAdvice({ certificatePath, fingerprint, validUntil, proxy }: ClientAdvice): string {
  const path = quote(certificatePath)
  const address = proxy === undefined ? 'HOST:PORT' : proxy.startsWith(':') ? `HOST${proxy}` : proxy
  const rows: readonly (readonly [client: string, ...lines: string[]])[] = [
    ['every client', `export HTTPS_PROXY=http://${address} NO_PROXY=localhost,127.0.0.1,::1`],
    ['curl', `curl --cacert ${path} https://api.openai.com/v1/models`],
    [
      'Node.js',
      `export NODE_EXTRA_CA_CERTS=${path}`,
      'fetch heeds HTTPS_PROXY with NODE_USE_ENV_PROXY=1 (Node 22.21 and 24), or with EnvHttpProxyAgent of undici',
    ],
    [
      'Python, Go, Ruby',
      `cat ${BUNDLE} ${path} > svc-bundle.crt`,
      'export SSL_CERT_FILE=$PWD/svc-bundle.crt REQUESTS_CA_BUNDLE=$PWD/svc-bundle.crt',
    ],
    ['Java', `keytool -importcert -cacerts -noprompt -alias svc-mitm -file ${path}`],
    ['Debian, Ubuntu', `sudo cp ${path} /usr/local/share/ca-certificates/svc-mitm.crt && sudo update-ca-certificates`],
    ['Fedora, RHEL', `sudo cp ${path} /etc/pki/ca-trust/source/anchors/svc-mitm.crt && sudo update-ca-trust`],
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${path}`],
    ['Windows', `certutil -addstore -f Root ${path}`],
    ['Chromium on Linux', `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n svc-mitm -i ${path}`],
    ['Firefox', 'Settings > Privacy & Security > View Certificates > Authorities > Import'],
  ]
  const facts = [
    `certificate   ${certificatePath}`,
    `fingerprint   SHA-256 ${fingerprint}`,
    `valid until   ${validUntil.toISOString().slice(0, 10)}`,
  ]
  const note =
    'The address of the proxy begins with http:// also for HTTPS. Trust the certificate only on machines whose requests\nmay be read here, and never hand out ca.key.'
  const advice = rows.map(([client, ...lines]) => `${client}\n${lines.map((line) => `  ${line}\n`).join('')}`)
  return `${facts.join('\n')}\n\n${note}\n\n${advice.join('')}`
}

/** Quotes a path for a shell where it needs that. */
function quote(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
