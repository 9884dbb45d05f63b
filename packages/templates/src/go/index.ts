/**
 * Go's `text/template` with sprig, as model files use it: byte for byte, bounded in time and size, without access to
 * the environment.
 *
 * @module
 */
export { type GoFieldSpec, type GoStructType, goStruct } from './data.ts'
export { GoTemplateExecError, GoTemplateLimitError, GoTemplateSyntaxError } from './errors.ts'
export { DEFAULT_GO_TEMPLATE_LIMITS, type GoTemplateLimits } from './limits.ts'
export { compileGoTemplate, type GoRenderOptions, type GoTemplate, type GoTemplateOptions } from './template.ts'
export { type GoField, type GoType, goMap, goPointerTo, goSlice } from './types.ts'
export type { GoStruct } from './values.ts'
