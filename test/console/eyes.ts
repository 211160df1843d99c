type Triple = readonly [number, number, number]
type Eye = readonly [Triple, Triple, Triple]

/** What eyes without one kind of cones see (Machado et al. 2009), and usual eyes. */
export const eyes: Record<string, Eye> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1]
  ],
  noRed: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998]
  ],
  noGreen: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881]
  ],
  noBlue: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039]
  ]
}

const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const each = (rows: Eye, v: Triple): Triple => [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
const clip = (part: number) => Math.min(1, Math.max(0, part))
function through(eye: Eye, color: Triple): Triple {
  const [r, g, b] = each(eye, color)
  return [clip(r), clip(g), clip(b)]
}

function linear(hex: string): Triple {
  const part = (i: number) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

function oklab(color: Triple): Triple {
  const [l, m, s] = each(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005]
    ],
    color
  )
  return each(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766]
    ],
    [Math.cbrt(l), Math.cbrt(m), Math.cbrt(s)]
  )
}

export function contrast(a: string, b: string): number {
  const light = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex)) + 0.05
  const [x, y] = [light(a), light(b)]
  return Math.max(x / y, y / x)
}

/** How different two colours look to an eye, in OKLab: 0.02 can be seen, 1 is black and white. */
export function distance(a: string, b: string, eye: Eye): number {
  const [x, y] = [oklab(through(eye, linear(a))), oklab(through(eye, linear(b)))]
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2])
}
