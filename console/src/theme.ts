import { Button, createTheme, type MantineColorsTuple } from '@mantine/core'

/** The coat of a caracal: the only accent. Shade 6 is for light ground, shade 4 for dark ground. */
const coat: MantineColorsTuple = [
  ...(['#fdf4ee', '#f6e6da', '#f0cdb3', '#ecb088'] as const),
  ...(['#e8935a', '#cf7438', '#b4551d', '#8f4116', '#6e3211', '#3a2619'] as const)
]

export const theme = createTheme({
  colors: { coat },
  primaryColor: 'coat',
  primaryShade: { light: 6, dark: 4 },
  defaultRadius: 8,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '17px', xl: '22px' },
  components: {
    Button: Button.extend({
      // White on the coat is too faint in dark, and white on Mantine's red in both.
      vars: (_theme, { variant = 'filled', color }) => ({
        root: {
          ...(variant === 'filled' && { '--button-color': 'var(--on-accent)' }),
          ...(variant === 'filled' &&
            color === 'red' && { '--button-bg': 'var(--bad)', '--button-hover': 'var(--bad)' })
        }
      })
    })
  },
  headings: { sizes: { h1: { fontSize: '22px', fontWeight: '650' } } }
})
