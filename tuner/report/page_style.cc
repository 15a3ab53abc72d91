#include "tuner/report/page.h"

namespace tuner {

std::string page_style() {
  return R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:8px 0 4px;overflow-wrap:anywhere}
h2{font-size:19px;margin:40px 0 10px;padding-bottom:6px;border-bottom:1px solid var(--line)}
h3{font-size:14px;font-weight:600;margin:0;overflow-wrap:anywhere}
p{max-width:76ch;margin:8px 0;overflow-wrap:anywhere}
main>p:first-of-type{color:var(--muted)}
.note{border-left:3px solid var(--c1);background:var(--panel);padding:10px 14px;border-radius:0 6px 6px 0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:18px 0}
.facts div{background:var(--panel);border-radius:8px;padding:12px 14px}
.facts dt{font-size:12px;color:var(--muted)}
.facts dd{margin:2px 0 0;font-size:19px;font-weight:600;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
figure{margin:18px 0;padding:16px 18px;background:var(--panel);border-radius:8px;break-inside:avoid}
figcaption{color:var(--muted);font-size:13px;margin-top:6px;max-width:90ch}
.plot{overflow-x:auto;margin-top:8px}
.plot svg,.plot canvas{max-width:100%;height:auto!important}
.plot>svg{width:100%}
.id{font:13px ui-monospace,"DejaVu Sans Mono",monospace;max-width:none;background:var(--panel);border-radius:6px;padding:8px 12px}
.smalls{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:14px}
.small{margin:0;padding:12px 14px}
.table{margin:18px 0;break-inside:auto}
.bar{display:flex;gap:14px;align-items:center;flex-wrap:wrap;margin-bottom:6px}
.tools{display:flex;gap:8px;align-items:center;flex-wrap:wrap}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px;width:fit-content;max-width:100%}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px;border-bottom:1px solid var(--grid);white-space:pre-wrap;max-width:46ch;overflow-wrap:anywhere;vertical-align:top}
th{background:var(--panel);font-weight:600;white-space:nowrap;position:sticky;top:0}
th.sorts{cursor:pointer}
tbody tr:last-child td{border-bottom:0}
td.w{min-width:36ch}
.n{text-align:right;white-space:nowrap}
button,input{font:13px system-ui,sans-serif;color:var(--ink);background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:4px 10px}
button{cursor:pointer}
button:hover{border-color:var(--c0)}
button:disabled{opacity:.4;cursor:default}
#theme{position:fixed;top:14px;right:16px;z-index:2}
#tip{position:fixed;z-index:3;pointer-events:none;background:var(--bg);color:var(--ink);border:1px solid var(--line);border-radius:6px;padding:8px 10px;font-size:12px;white-space:pre-wrap;max-width:420px;overflow-wrap:anywhere;box-shadow:0 4px 14px rgba(0,0,0,.18)}
@page{margin:14mm}
@media print{
:root{--ink:#000;--muted:#333;--panel:#fff;--grid:#ddd;--line:#999}
#theme,#tip,button,input,.tools{display:none!important}
body{font-size:10.5pt}
main{max-width:none;padding:0}
p,figcaption{max-width:none}
h1,h2,h3{break-after:avoid}
figure,.facts div,.note,.id{background:none;border:1px solid #ccc;border-radius:0}
figure,.facts div,.note{break-inside:avoid}
.plot{overflow:visible}
.plot svg,.plot canvas{width:auto!important;max-width:100%!important;max-height:190mm}
.smalls{grid-template-columns:repeat(2,1fr)}
.scroll{overflow:visible;border:0;width:auto}
table{width:100%;font-size:7pt}
thead{display:table-header-group}
tr{break-inside:avoid}
th{position:static;white-space:normal}
th,td{padding:2px 4px}
td.w{min-width:0}
}
)css";
}

}  // namespace tuner
