import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import {
  createTestCa,
  type ForwardProxy,
  listenOnFreePort,
  startForwardProxy,
  type TempDir,
  tempDir,
  trackSockets,
} from '@svc/test-kit'

/** Hosts whose names exist only for a proxy. The proxy leads them to doubles on this machine. */
export interface FarNetwork extends AsyncDisposable {
  readonly proxy: ForwardProxy
  /** Variables of a server that goes out through the proxy and trusts the hosts over TLS. */
  readonly env: Readonly<Record<string, string>>
  /** Leads a plain `host:port` to a port of this machine. */
  addPlain(target: string, port: number): void
  /** Leads the port 443 of a host, over TLS, to a port of this machine that speaks without. */
  addTls(host: string, port: number): Promise<void>
  /** Number of connections that each host over TLS accepted. */
  accepted(): Readonly<Record<string, number>>
  /** Everything that clients sent to the hosts over TLS, decrypted. */
  received(): string
}

/** Opens a network of no hosts. @param credentials that its proxy asks for, such as `me:secret` */
export async function openFarNetwork(credentials: string): Promise<FarNetwork> {
  const dir: TempDir = await tempDir()
  const ca = createTestCa()
  await writeFile(dir.join('ca.crt'), ca.cert)
  const routes = new Map<string, number>()
  const proxy = await startForwardProxy({ credentials, routes })
  const hosts = new Map<string, ReturnType<typeof trackSockets>>()
  const seen: Buffer[] = []

  /** Relays bytes in both directions until one side ends. */
  function relay(client: Socket, port: number): void {
    const double = connect(port, '127.0.0.1')
    client.on('data', (bytes: Buffer) => seen.push(bytes))
    client.pipe(double).pipe(client)
    for (const socket of [client, double]) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        client.destroy()
        double.destroy()
      })
    }
  }
  const url = proxy.url.replace('://', `://${credentials}@`)
  return {
    proxy,
    env: { HTTPS_PROXY: url, HTTP_PROXY: url, SSL_CERT_FILE: dir.join('ca.crt') },
    addPlain: (target, port) => void routes.set(target, port),
    async addTls(host, port) {
      const server = createServer(ca.issue([host]), (client) => relay(client, port))
      hosts.set(host, trackSockets(server))
      routes.set(`${host}:443`, await listenOnFreePort(server))
    },
    accepted: () => Object.fromEntries([...hosts].map(([host, { accepted }]) => [host, accepted])),
    received: () => Buffer.concat(seen).toString('latin1'),
    async [Symbol.asyncDispose]() {
      await proxy.close()
      for (const sockets of hosts.values()) await sockets.close()
      await dir.close()
    },
  }
}
