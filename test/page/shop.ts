/** What the agents of the page's stories work at: one thing that they do whole, one that they are killed in. */

const PRICE = "export function price(item) {\n  return item.amount * item.cents;\n}\n";
export const TAXED =
  "import { price } from './price.mjs';\n\nexport function taxed(item, rate) {\n  return Math.round(price(item) * (1 + rate));\n}\n";
const CART = Array.from(
  { length: 24 },
  (_, i) => `export const step${i} = (cart) => ({ ...cart, at: ${i} });\n`,
).join("");
export const CART_CUT = `${CART.slice(0, 400)}export const checkout = (cart) => {\n  for (const item of cart.items) {\n    total +=`;

/** What the repository has before anybody works in it. */
export const SHOP: Readonly<Record<string, string>> = {
  "README.md": "# A shop\n\nSells things.\n",
  "src/price.mjs": PRICE,
  "src/cart.mjs": CART,
};
