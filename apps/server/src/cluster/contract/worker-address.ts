const ADDRESS = /^(?!unix:)(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253}):(\d{1,5})$/i

/** Reads `host:port` as a worker tells it; undefined for anything else, such as a socket file or a URL. */
export function readWorkerAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', digits = ''] = ADDRESS.exec(text) ?? []
  const port = Number(digits)
  return host === '' || port < 1 || port > 65_535 || !URL.canParse(`http://${text}`) ? undefined : { host, port }
}

/** Whether two addresses `host:port` are of one host. Texts that are none have an empty host. */
export function isSameHost(left: string, right: string): boolean {
  return toHost(left) === toHost(right)
}

const toHost = (address: string): string => readWorkerAddress(address)?.host.toLowerCase() ?? ''
