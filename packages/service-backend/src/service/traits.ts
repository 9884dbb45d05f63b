import { type Fields, toFields, toNumber, toText } from '@svc/proxy/replies'

/** Attributes that faces and voices share. */
export interface Traits {
  readonly age: number
  readonly dominantGender: string
  readonly gender: Readonly<Record<string, number>>
  readonly dominantEmotion: string
  readonly emotion: Readonly<Record<string, number>>
}

/** Reads the attributes of a face or a voice. */
export function readTraits(fields: Fields): Traits {
  return {
    age: toNumber(fields.age) ?? 0,
    dominantGender: toText(fields.dominant_gender) ?? '',
    gender: readShares(fields.gender),
    dominantEmotion: toText(fields.dominant_emotion) ?? '',
    emotion: readShares(fields.emotion),
  }
}

/** Reads shares by name; drops other values. */
export function readShares(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(toFields(value)).flatMap(([name, share]) => {
      const number = toNumber(share)
      return number === undefined ? [] : [[name, number] as const]
    }),
  )
}
