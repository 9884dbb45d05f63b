import * as z from 'zod'

/** Query of the proxy. */
export const proxyQuery = z.object({ url: z.string().describe('A public http or https address.') })
