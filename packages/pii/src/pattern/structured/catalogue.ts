import type { BuiltinName } from '../builtin-names.ts'
import { beginsDigits } from './digit-groups.ts'
import { isAtSign, matchEmail } from './email.ts'
import { beginsIban, matchIban } from './iban.ts'
import { beginsIpAddress, matchIpAddress } from './ip-address.ts'
import { beginsSpanishId, createNationalIdMatcher, matchSpanishId, NATIONAL_IDS } from './national-ids.ts'
import { matchPaymentCard } from './payment-card.ts'
import { beginsPhone, matchPhone } from './phone.ts'
import { type Candidates, type ShapeAt, type StructuredSearch, searchShape } from './search.ts'

/** A built-in that is found by its shape and checked: off unless it is named. */
export interface StructuredBuiltin {
  readonly name: BuiltinName
  readonly aliases: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases: readonly string[]
  readonly search: StructuredSearch
}

function builtin(name: BuiltinName, group: string, mayBe: Candidates, shapeAt: ShapeAt): StructuredBuiltin {
  return { name, aliases: [], group, groupAliases: [], search: searchShape(mayBe, shapeAt) }
}

/** The structured built-ins, the more specific before the more general. */
export const STRUCTURED_BUILTINS: readonly StructuredBuiltin[] = [
  builtin('iban', 'IBAN', beginsIban, matchIban),
  builtin('credit_card', 'CREDITCARD', beginsDigits, matchPaymentCard),
  builtin('email', 'EMAIL', isAtSign, matchEmail),
  builtin('ip_address', 'IP_ADDRESS', beginsIpAddress, matchIpAddress),
  ...NATIONAL_IDS.map((id) => builtin(id.name, id.group, beginsDigits, createNationalIdMatcher(id))),
  builtin('es_dni', 'ES_DNI', beginsSpanishId, matchSpanishId),
  builtin('phone', 'PHONE', beginsPhone, matchPhone),
]
