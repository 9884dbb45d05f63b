import * as z from 'zod'
import type { Setting } from '../config/option.ts'
import { SETTINGS } from '../config/schema.ts'
import { findOption } from './schema.ts'

function describeSetting({ key, about, owner, refusal }: Setting): string {
  const notes = [
    about ?? findOption(key)?.about ?? '',
    ...(owner === undefined ? [] : [`set through the ${owner} routes`]),
    ...(refusal === undefined ? [] : [`only the present value can be set: ${refusal}`]),
  ]
  return notes.join('; ')
}

/** The body of `/api/settings`: every setting in a reply, any of them in a request. Null takes a saved value away. */
export const settingsBody = z.looseObject(
  Object.fromEntries(
    SETTINGS.map((setting) => [
      setting.key,
      z.exactOptional(setting.kind).register(z.globalRegistry, { description: describeSetting(setting) }),
    ]),
  ),
)
