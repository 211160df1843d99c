import { useComputedColorScheme } from '@mantine/core'
import type { Scheme } from './options.ts'

/** Known at once, so that nothing is drawn twice. */
export const useScheme = (): Scheme =>
  useComputedColorScheme('light', { getInitialValueInEffect: false })
