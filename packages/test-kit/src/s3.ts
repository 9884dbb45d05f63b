import { createRequire } from 'node:module'
import { createTestCa } from './certificates.ts'
import { tempDir } from './temp-dir.ts'

/** An S3 server for one test file. */
export interface RunningS3 extends AsyncDisposable {
  /** Its address, without a bucket. */
  readonly url: string
  readonly port: number
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  /** The authority of its certificate, PEM; undefined without TLS. */
  readonly ca: string | undefined
  /** Stops it, as an outage does; its objects stay. */
  halt(): Promise<void>
  /** Starts it again at the same address. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** The part of the server that is used; it has no types. */
interface Server {
  readonly httpServer?: { closeAllConnections(): void }
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}

type ServerClass = new (options: Readonly<Record<string, unknown>>) => Server

const KEY = 'S3RVER'
const BUCKET = 'svc-test'

/**
 * Starts s3rver on a free port of the loopback interface, in this process. It speaks the protocol of S3 and checks the
 * signatures of calls. A test file shares one server.
 */
export async function startS3({ tls = false }: { readonly tls?: boolean | undefined } = {}): Promise<RunningS3> {
  const require = createRequire(import.meta.url)
  const S3 = require('s3rver') as ServerClass
  const dir = await tempDir('svc-s3-')
  const ca = tls ? createTestCa() : undefined
  const options = {
    address: '127.0.0.1',
    silent: true,
    directory: dir.path,
    configureBuckets: [{ name: BUCKET }],
    ...ca?.issue(['localhost', '127.0.0.1']),
  }
  let server = new S3({ ...options, port: 0 })
  const { port } = await server.run()
  let isRunning = true
  const halt = async (): Promise<void> => {
    if (!isRunning) return
    const closed = server.close()
    server.httpServer?.closeAllConnections()
    await closed
    isRunning = false
  }
  const close = async (): Promise<void> => {
    await halt()
    await dir.close()
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    bucket: BUCKET,
    accessKey: KEY,
    secretKey: KEY,
    ca: ca?.cert,
    halt,
    async resume() {
      if (isRunning) return
      server = new S3({ ...options, port })
      await server.run()
      isRunning = true
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
