import { SvcError } from '@svc/errors'
import type { RouterPolicy } from '@svc/router'
import { compileGoTemplate, goSlice, goStruct } from '@svc/templates'
import type { Logger } from '../ports.ts'

const POLICY = goStruct('Policy', { Label: 'string', Description: 'string' })
const ROUTER = goStruct('Router', { Policies: goSlice(POLICY) })

/**
 * The system turn by `classifier_system_template`; undefined where it is empty or cannot be used. The library writes its
 * own then.
 */
export function renderSystemTurn(
  template: string | undefined,
  {
    policies,
    router,
    logger,
  }: { readonly policies: readonly RouterPolicy[]; readonly router: string; readonly logger: Logger },
): string | undefined {
  if (template === undefined || template.trim() === '') return undefined
  try {
    const data = ROUTER.of({
      Policies: policies.map(({ label, description }) => ({ Label: label, Description: description })),
    })
    return compileGoTemplate(template).render(data)
  } catch (error) {
    if (!SvcError.is(error)) throw error
    logger.warn({ router, err: error }, 'router.classifier_system_template cannot be used')
    return undefined
  }
}
