import { expect, it } from 'vitest'
import { startHttpServer } from './http-server.ts'

it('answers on its own port until the scope ends, despite open requests', async () => {
  let origin: string
  let hanging: Promise<unknown>
  {
    await using server = await startHttpServer((request, response) => {
      if (request.url === '/hang') response.write('a')
      else response.end(request.url)
    })
    origin = server.origin
    expect(await (await fetch(`${origin}/x`)).text()).toBe('/x')
    hanging = (await fetch(`${origin}/hang`)).text()
    hanging.catch(() => undefined)
  }
  await expect(hanging).rejects.toThrow()
  await expect(fetch(origin)).rejects.toThrow()
})
