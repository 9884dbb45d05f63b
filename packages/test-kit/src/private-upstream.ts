import { writeFile } from 'node:fs/promises'
import { type BackendClient, ensureSuccess } from '@svc/backend-client'
import { startBackendProcess } from './backend-process.ts'
import { createTestCa } from './certificates.ts'
import { tempDir } from './temp-dir.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** An upstream with a certificate of an unknown authority, and a proxy program that asks it. */
export interface PrivateUpstream extends AsyncDisposable {
  readonly upstream: Upstream
  /** A file with the certificate of the authority, and a file without a certificate. */
  readonly files: { readonly authority: string; readonly empty: string }
  /** Starts the program with these variables and returns its text for a prompt, or its whole output when it fails. */
  ask(env: Readonly<Record<string, string>>): Promise<string>
}

/** Options of {@link startPrivateUpstream}. */
export interface PrivateUpstreamOptions {
  /** The main file of the program. */
  readonly program: URL
  /** Settings of its model beside the address. */
  readonly proxy?: Parameters<BackendClient['loadModel']>[0]['Proxy']
  /** The body of the upstream's reply. */
  readonly body: string
}

/** Starts the upstream; each `ask` starts the program again. */
export async function startPrivateUpstream({ program, proxy, body }: PrivateUpstreamOptions): Promise<PrivateUpstream> {
  const folder = await tempDir()
  const ca = createTestCa()
  const files = { authority: folder.join('authority.pem'), empty: folder.join('empty.pem') }
  await writeFile(files.authority, ca.cert)
  await writeFile(files.empty, '')
  const upstream = await startUpstream({ protocol: 'https', ca })
  upstream.replyWith({ body })
  return {
    upstream,
    files,
    async ask(env) {
      await using backend = await startBackendProcess(program, env)
      ensureSuccess(await backend.client.loadModel({ Model: 'm', Proxy: { ...proxy, upstreamUrl: upstream.origin } }))
      const reply = await backend.client.predict({ Prompt: 'hi' }).catch((error: Error) => error)
      return reply instanceof Error ? backend.output() : reply.message.toString()
    },
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]()
      await folder.close()
    },
  }
}
