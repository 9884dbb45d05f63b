/** Whether only programs of the same machine reach an address such as `127.0.0.1:8888`. */
export function isLoopback(address: string): boolean {
  const { host } = splitAddress(address)
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Splits `HOST:PORT`. An IPv6 host is in brackets, and an empty host means every address. */
function splitAddress(address: string): { readonly host: string; readonly port: string } {
  const found = /^\[(.*)\]:(\d+)$/.exec(address) ?? /^([^:]*):(\d+)$/.exec(address)
  return { host: found?.[1] ?? address, port: found?.[2] ?? '' }
}

const EVERYWHERE = new Set(['', '0.0.0.0', '::'])

/** The address at which clients reach the proxy. @param pageHost name of the machine that serves this page */
export function formatClientAddress(address: string, pageHost: string): string {
  const { host, port } = splitAddress(address)
  const name = EVERYWHERE.has(host) ? pageHost : host
  return `${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}`
}
