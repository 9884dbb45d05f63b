import { isNoProxyList, readForwardProxy } from '@svc/http-client'
import * as z from 'zod'
import { SETTING_FORMS } from './setting-kind.ts'
import { TEXT_FORMS } from './text-kind.ts'

const FORM = 'empty, or the URL of a proxy such as http://proxy.example:3128, with a name and a password where it asks'

const proxyText = z
  .string()
  .max(4096)
  .refine((value) => value === '' || readForwardProxy(value) !== undefined)

/** The URL of a proxy on the way out, on the command line or in a variable. */
export const proxyUrl = proxyText.clone().register(TEXT_FORMS, { placeholder: 'URL', form: FORM, shape: 'single' })

/** The URL of a proxy on the way out, as a setting; empty for none. */
export const proxyLine = proxyText.clone().register(SETTING_FORMS, { form: FORM })

const LIST_FORM = 'a list of names, addresses and networks between commas, such as .example.com,10.0.0.0/8'

const noProxyText = z
  .string()
  .max(16_384)
  .regex(/^\P{Cc}*$/u)
  .refine(isNoProxyList)

/** The hosts that are reached past the proxies, on the command line or in a variable. */
export const noProxy = noProxyText
  .clone()
  .register(TEXT_FORMS, { placeholder: 'HOSTS', form: LIST_FORM, shape: 'single' })

/** The hosts that are reached past the proxies, as a setting. */
export const noProxyLine = noProxyText.clone().register(SETTING_FORMS, { form: LIST_FORM })
