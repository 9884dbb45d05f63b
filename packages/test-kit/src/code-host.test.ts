import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { startCodeHost } from './code-host.ts'

const CLIENT = {
  clientId: 'id',
  clientSecret: 'secret',
  account: { user: { id: 1 }, emails: [{ email: 'a@b.example' }] },
}

it('gives a code that is good once, for the client and the verifier that asked for it', async () => {
  await using host = await startCodeHost(CLIENT)
  const challenge = createHash('sha256').update('verifier').digest('base64url')
  const url = new URL(`${host.baseUrl}/login/oauth/authorize`)
  url.search = new URLSearchParams({
    client_id: 'id',
    redirect_uri: 'http://app.example/back',
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString()
  const exchange = async (changes: Readonly<Record<string, string>>) => {
    const back = await host.agree(url)
    expect(back.searchParams.get('state')).toBe('s')
    const form = {
      client_id: 'id',
      client_secret: 'secret',
      redirect_uri: 'http://app.example/back',
      code: back.searchParams.get('code') ?? '',
      code_verifier: 'verifier',
      ...changes,
    }
    const send = async (): Promise<unknown> => {
      const init = { method: 'POST', body: new URLSearchParams(form) }
      return (await fetch(`${host.baseUrl}/login/oauth/access_token`, init)).json()
    }
    return [await send(), await send()]
  }
  const [first, second] = await exchange({})
  expect(first).toMatchObject({ token_type: 'bearer' })
  expect(second).toEqual({ error: 'bad_verification_code' })
  expect(await exchange({ code_verifier: 'other' })).toContainEqual({ error: 'bad_verification_code' })
  expect(await exchange({ client_secret: 'other' })).toContainEqual({ error: 'incorrect_client_credentials' })
  const anonymous = await fetch(`${host.apiUrl}/user`)
  expect(anonymous.status).toBe(401)
})

it('sends nobody back who asks without PKCE', async () => {
  await using host = await startCodeHost(CLIENT)
  const url = new URL(`${host.baseUrl}/login/oauth/authorize?client_id=id&redirect_uri=http://app.example/back`)
  await expect(host.agree(url)).rejects.toThrow('the code host answers 400')
})
